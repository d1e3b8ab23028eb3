// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The answer of the platform to an identity call, and what follows from it on the installation.
struct IdentityAnswerTransition {
    private let answer: IdentityAnswer
    private let number: Int
    private let standings: [ServiceStanding]

    /// Makes a transition.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - number: The number of the call.
    ///   - standings: The knowledge of the services that follow logins.
    init(_ answer: IdentityAnswer, of number: Int, for standings: [ServiceStanding]) {
        (self.answer, self.number, self.standings) = (answer, number, standings)
    }

    /// Takes the answer.
    ///
    /// It has happened, so it stands even if the disk refuses it; then that is reported, and the state is written with the next change.
    ///
    /// - Returns: The end of the call; nil if it is not under way any more.
    /// - Throws: `closed` if another object has replaced this one: then the answer is lost, as in a crash.
    func write(
        _ machine: inout InstallationMachine,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) -> IdentityStateMachine.Finish? {
        guard !machine.phase.isRetired else { throw .closed }
        let before = machine.state.directory
        let now = transaction.moment.now.milliseconds
        guard let finish = machine.identity.finish(self.number, with: self.answer, now: now, for: self.standings)
        else { return nil }
        guard finish.isStateChanged else { return finish }
        self.forgetBlankUsers(leaving: before, &machine, &transaction)
        do throws(SignetError) {
            try self.keepConsent(leaving: before, &machine, &transaction)
            if let following = finish.following { machine.outbox.add(following, &transaction) }
            machine.saveIdentity(&transaction)
        } catch {
            transaction.report(error)
        }
        transaction.step(&machine, ifRefused: .isReported)
        do throws(SignetError) {
            try machine.breadcrumbs.move(to: finish.firstUser, after: before.current, machine.state, &transaction)
        } catch {
            transaction.report(error)
        }
        if let firstUser = finish.firstUser {
            transaction.add(.attributed(firstUser, upTo: Self.lastWithoutUser(transaction)))
        }
        if let change = finish.change {
            transaction.add(.userChange(previous: change.previous, current: change.current))
        }
        transaction.step(&machine, ifRefused: .isReported)
        machine.noteUser(&transaction)
        // A closed installation takes answers, but no longer logs.
        if machine.phase == .open { machine.log(finish.updates, &transaction) }
        return finish
    }

    /// Not in a row of the shared store: that has a limit, and tells by its users which of those who were erased came back.
    private func forgetBlankUsers(
        leaving before: UserDirectory,
        _ machine: inout InstallationMachine,
        _ transaction: inout InstallationTransaction
    ) {
        guard transaction.scope.key == nil else { return }
        let now = transaction.moment.now.milliseconds
        for mpid in machine.state.directory.forgetBlankUsers(after: before.current, now: now) {
            machine.breadcrumbs.remove(of: mpid, machine.state.number, &transaction)
        }
    }

    /// The last event that was logged without a user.
    private static func lastWithoutUser(_ transaction: InstallationTransaction) -> UInt64 {
        do throws(SignetError) {
            return try transaction.records.lastSequence()
        } catch {
            // Some events are in memory without a number: all events before the next user change are this user's.
            return .max
        }
    }

    /// Keeps the consent of an ephemeral user who departs at a switch, until their events are in batches.
    private func keepConsent(
        leaving before: UserDirectory,
        _ machine: inout InstallationMachine,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        guard let mpid = before.current, machine.state.directory.entries[mpid] == nil,
            let consent = before.entries[mpid]?.consent
        else { return }
        if transaction.scope.key != nil { return machine.shared.value.keep(consent, of: mpid) }
        try transaction.keepDeparted(consent, of: mpid, machine.state.number)
    }
}
