// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// An installation that was opened and of which the disk has nothing yet.
///
/// It becomes durable with the first transaction that writes: an event, an answer of the platform or a setting. Until then it has no
/// number. It is a class because few installations are in this state: the others need one word.
final class UnsavedInstallation: Sendable {
    /// The context of the open, which the installation chooses when it becomes durable; nil for none.
    let context: InstallationContext?
    /// The number from an attempt that the disk cut short; nil if there was none.
    let number: UInt32?

    init(context: InstallationContext?, number: UInt32? = nil) {
        (self.context, self.number) = (context, number)
    }
}

extension InstallationMachine {
    /// True if the disk has nothing of the installation.
    @inline(__always)
    var isUnsaved: Bool {
        self.unsaved != nil
    }

    /// True if the installation must become durable before a transaction is carried out.
    func becomesDurable(with transaction: InstallationTransaction) -> Bool {
        self.isUnsaved && transaction.steps.contains { step in step.writes.contains(where: \.needsInstallation) }
    }

    /// Holds the context of another open until the installation becomes durable.
    ///
    /// - Returns: False if the installation is durable: then the context is a setting.
    mutating func hold(_ context: InstallationContext) -> Bool {
        guard let unsaved = self.unsaved, self.phase == .open else { return false }
        self.unsaved = UnsavedInstallation(context: context, number: unsaved.number)
        return true
    }

    /// Notes the number of an attempt to become durable, for the next one.
    mutating func reserve(_ number: UInt32) {
        guard let unsaved = self.unsaved else { return }
        self.unsaved = UnsavedInstallation(context: unsaved.context, number: number)
    }

    /// Makes the installation durable if it is not, for records that are not its own.
    func requireDurable(_ transaction: inout InstallationTransaction) throws(SignetError) {
        guard !self.phase.isRetired else { throw .closed }
        if self.isUnsaved { self.saveIdentity(&transaction) }
    }
}

extension InstallationTransaction {
    /// Takes the number of an installation that was made durable after the transaction had decided.
    ///
    /// - Parameter machine: The installation, without the transaction.
    /// - Returns: False if something else may depend on the number: then it must be decided again.
    mutating func takeNumber(of machine: InstallationMachine) -> Bool {
        let mayTake = self.steps.allSatisfy { step in
            step.writes.allSatisfy(\.hasOnlyANumber) && step.effects.allSatisfy(\.isWithoutNumber)
        }
        guard mayTake else { return false }
        let (number, own) = (machine.state.number, machine.own)
        self.changeSteps { step in
            step.after.becomeDurable(number, own)
            for index in step.writes.indices { step.writes[index].setNumber(number, own) }
        }
        return true
    }
}

extension InstallationTransaction.Effect {
    fileprivate var isWithoutNumber: Bool {
        switch self {
        case .userChange, .sessionChange, .watch: true
        case .alias, .aliasesOptedOut, .reset, .optedOut, .attributed, .superseded: false
        }
    }
}

extension InstallationTransaction.Write {
    /// True if the write has the number of the installation in its stamp, or not at all.
    fileprivate var hasOnlyANumber: Bool {
        switch self {
        case .event, .session, .requiredSession: true
        // The keys of others contain it; the users and a choice are written with the installation itself.
        case .put, .identity, .remove, .chooseContext: false
        }
    }

    fileprivate mutating func setNumber(_ number: UInt32, _ own: UInt32) {
        guard case .event(var frame) = self else { return }
        (frame.stamp.number, frame.stamp.own) = (number, own)
        self = .event(frame)
    }

    /// True if the write adds something, which belongs to an installation with a number.
    fileprivate var needsInstallation: Bool {
        switch self {
        case .put, .identity, .event, .session, .requiredSession, .chooseContext: true
        case .remove: false
        }
    }
}

extension InstallationWriter {
    /// Writes an installation to the disk for the first time: its number, its context, then its users.
    ///
    /// The record of the users is last: a process that dies before leaves no installation. It precedes the first event.
    ///
    /// - Parameter machine: The installation, which has its number and its context afterwards.
    /// - Throws: The error of the disk; then the installation is as before.
    func makeDurable(_ machine: inout InstallationMachine) throws(SignetError) {
        guard let unsaved = machine.unsaved else { return }
        let contexts = self.context.ownContexts
        let number: UInt32
        if let reserved = unsaved.number {
            number = reserved
        } else {
            number = try self.context.numbers.assign(to: self.id)
            machine.reserve(number)
        }
        let own = try contexts.pin(unsaved.context ?? InstallationContext())
        defer { contexts.unpin(own) }
        // A choice without an installation is what an earlier one with a damaged record left.
        try contexts.choose(own, for: self.id)
        var state = machine.state
        state.number = number
        try self.context.uses.note(number, since: state.lastUse, now: self.context.time.milliseconds)
        try self.context.store.put(state, of: self.id)
        machine.becomeDurable(number, own)
    }
}
