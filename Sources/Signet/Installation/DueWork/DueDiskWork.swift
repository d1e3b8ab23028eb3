// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

/// Due work that needs no network: opt-out events, and the ends of sessions that no object in memory watches.
///
/// Each piece of work reads and writes the records of a few installations on the disk's own thread. Of an installation that is in
/// memory, its object does the work.
struct DueDiskWork: Sendable {
    /// The fate of a session that was left open.
    enum SessionOutcome: Sendable, Hashable {
        case settled
        case ended
        /// It is over at this time, in milliseconds since 1970.
        case isOpen(until: Int64)
    }

    /// The end of a session.
    struct SessionEnd {
        var outcome = SessionOutcome.settled
        var core: InstallationCore?
        /// To be followed once no lock is held.
        var commit: InstallationCommit<SessionOutcome>?
    }

    /// Installations with marked records that no object in memory knows of.
    struct LateRecords: Sendable {
        var sessions: [UInt32] = []
        /// By the service's tag.
        var services: [UInt8: [UInt32]] = [:]
        var facts: [UInt32] = []
    }

    let opening: InstallationOpening

    private var context: RuntimeContext {
        self.opening.context
    }

    // MARK: - Marks

    /// The marked records of a part that nobody in memory knows of, though they should have been looked at.
    ///
    /// - Throws: The error of the disk.
    func lateRecords(ofPart part: Int) throws(SignetError) -> LateRecords {
        let marked = try MarkedRecords(ofPart: part, in: self.context)
        let now = self.context.time.milliseconds
        let timeout = self.context.sessionTimeout.milliseconds
        // In an app the next open ends a session; a mark without one has no end.
        let isApplication = self.context.sessionRules.mode == .application
        let sessions = marked.sessions.filter { session in
            isApplication ? session.end <= timeout : session.end.addingSaturated(60_000) <= now
        }
        var late = LateRecords()
        late.sessions = try self.absent(sessions.map(\.number))
        for (tag, numbers) in marked.services { late.services[tag] = try self.absent(numbers) }
        late.facts = try self.absent(marked.facts)
        return late
    }

    /// Those of some installations that are not in memory.
    private func absent(_ numbers: [UInt32]) throws(SignetError) -> [UInt32] {
        var absent: [UInt32] = []
        for number in numbers {
            let id = try self.context.numbers.installation(number)
            if id.map({ self.opening.registry.find($0) == nil }) ?? true { absent.append(number) }
        }
        return absent
    }

    // MARK: - Opt-outs

    /// Logs the event of an opt-out, if it is due.
    ///
    /// - Returns: True if the event is safe, and services have not followed yet: then the record stands.
    /// - Throws: The error of the disk; `newerFormat`, and the record stands.
    func logOptOut(_ number: UInt32) throws(SignetError) -> Bool {
        let events = DueOptOutEvents(context: self.context)
        let hasServices = !self.opening.managers.linked.all.isEmpty
        guard let id = try self.context.numbers.installation(number) else {
            try self.context.store.remove(StateKey.dueOptOut(number))
            return false
        }
        var isSafe = false
        let core = try self.opening.registry.unlessPresent(id) { () throws(SignetError) in
            guard let state = try self.state(of: id), state.number == number else {
                return try self.context.store.remove(StateKey.dueOptOut(number))
            }
            guard hasServices else { return try events.log(of: id, state) }
            if let due = try events.due(number) { isSafe = try events.log(due, of: id, state) }
        }
        guard let core, let due = try events.due(number) else { return isSafe }
        isSafe = try events.log(due, of: id, core.identityState)
        if isSafe, !hasServices { try core.settle(due) }
        return isSafe && hasServices
    }

    // MARK: - Sessions

    /// Writes the journal's facts about the sessions of some installations to their records.
    ///
    /// - Throws: The error of the disk.
    func fold(_ numbers: ArraySlice<UInt32>) throws(SignetError) {
        for number in numbers {
            guard let id = try self.context.numbers.installation(number) else { continue }
            let core = try self.opening.registry.unlessPresent(id) { () throws(SignetError) in
                try self.context.sessionRecovery.fold(number)
            }
            try core?.fold()
        }
    }

    /// Ends the session of an installation that an earlier process left open, if it is over.
    ///
    /// - Parameters:
    ///   - number: The installation.
    ///   - hasWaited: True if the session was left alone for a timeout, whatever the wall clock says.
    /// - Returns: Its fate.
    /// - Throws: The error of the disk.
    func endSession(of number: UInt32, hasWaited: Bool) throws(SignetError) -> SessionEnd {
        guard let id = try self.context.numbers.installation(number) else { return SessionEnd() }
        var absent: (core: InstallationCore, commit: InstallationCommit<SessionOutcome>)?
        let present = try self.opening.registry.unlessPresent(id) { () throws(SignetError) in
            absent = try self.endAbsentSession(of: id, number, hasWaited: hasWaited)
        }
        if let present {
            let commit = try Self.settle(present, hasWaited: hasWaited)
            return SessionEnd(outcome: commit.value, core: present, commit: commit)
        }
        guard let absent else { return SessionEnd() }
        return SessionEnd(outcome: absent.commit.value, core: absent.core, commit: absent.commit)
    }

    /// The same under the registry's lock, with an object that leaves memory again.
    private func endAbsentSession(
        of id: InstallationID,
        _ number: UInt32,
        hasWaited: Bool
    ) throws(SignetError) -> (InstallationCore, InstallationCommit<SessionOutcome>)? {
        let isReset = self.opening.managers.resets.withLock { resets in resets.all.contains { $0.number == number } }
        guard !isReset else { return nil }
        guard let restored = try self.opening.restored(id, number) else {
            // A loss of power took the record of the installation: its session cannot end, and its mark must not stay.
            if !self.context.store.contains(StateKey.identity(id)) {
                try self.context.store.remove(StateKey.session(id))
            }
            return nil
        }
        let core = self.opening.makeCore(id, restored, after: nil)
        defer { core.retire() }
        do throws(SignetError) {
            return (core, try Self.settle(core, hasWaited: hasWaited))
        } catch {
            self.context.sessionRecovery.evicted(number)
            throw error
        }
    }

    private static func settle(
        _ core: InstallationCore,
        hasWaited: Bool
    ) throws(SignetError) -> InstallationCommit<SessionOutcome> {
        let commit = try core.store.transact { machine, transaction -> SessionOutcome in
            let hadSession = machine.session.interrupted != nil && !machine.isOptedOut
            return switch machine.settleLeftOpen(&transaction, hasWaited: hasWaited) {
            case .isOpen(let end): .isOpen(until: end)
            case .settled: hadSession ? .ended : .settled
            }
        }
        if let failure = commit.failure { throw failure }
        return commit
    }

    private func state(of id: InstallationID) throws(SignetError) -> IdentityState? {
        do throws(SignetError) {
            return try self.context.store.value(for: StateKey.identity(id)).map { bytes throws(SignetError) in
                try IdentityState(decoding: bytes)
            }
        } catch {
            // The next open reports it.
            guard error.isDamage else { throw error }
            return nil
        }
    }
}
