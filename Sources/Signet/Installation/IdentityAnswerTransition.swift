// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

/// The answer of the platform to an identity call, and what follows from it on the installation.
struct IdentityAnswerTransition {
    private let answer: IdentityAnswer
    private let number: Int
    private let syncStates: [ServiceSyncState]
    private let consents: (any ConsentRecords)?

    /// Makes a transition.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - number: The number of the call.
    ///   - syncStates: The states of the services that follow logins.
    ///   - consents: The latest consents of users; nil for none.
    init(
        _ answer: IdentityAnswer,
        of number: Int,
        for syncStates: [ServiceSyncState],
        in consents: (any ConsentRecords)? = nil
    ) {
        self.answer = answer
        self.number = number
        self.syncStates = syncStates
        self.consents = consents
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
        let latest = self.latestConsent(&transaction)
        let finish = machine.identity.finish(
            self.number,
            with: self.answer,
            now: now,
            for: self.syncStates,
            latest: latest
        )
        guard let finish else { return nil }
        guard finish.isStateChanged else { return finish }
        self.recordAnonymousConsent(of: before, machine.state, &transaction)
        self.forgetBlankUsers(leaving: before, &machine, &transaction)
        // The answer stands, even if no one can leave: the user who came has no facts yet for which they would have to stay.
        let room = machine.makeRoom(&transaction)
        do throws(SignetError) {
            try self.keepConsents(leaving: before, room.departures, &machine, &transaction)
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

    /// The latest consent of the user of the answer; nil for none, or if the disk refuses it.
    private func latestConsent(_ transaction: inout InstallationTransaction) -> UserConsent? {
        guard case .user(let reply) = self.answer, let consents = self.consents else { return nil }
        do throws(SignetError) {
            return try consents.latest(of: reply.mpid)
        } catch {
            transaction.report(error)
            return nil
        }
    }

    /// Records what the first user answered before anyone was known, at the moment of that answer.
    private func recordAnonymousConsent(
        of before: UserDirectory,
        _ state: IdentityState,
        _ transaction: inout InstallationTransaction
    ) {
        guard let consents = self.consents, let (mpid, consent) = before.anonymousAnswer(inheritedIn: state.directory)
        else { return }
        do throws(SignetError) {
            _ = try consents.take(ConsentAnswer(consent: consent, moment: consent.newest), of: mpid)
        } catch {
            // The consent is unsent on this installation, which sends it all the same.
            transaction.report(error)
        }
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

    /// Keeps the consents of an ephemeral user who departs at a switch, and of users for whom there is no room, until their events
    /// are in batches.
    private func keepConsents(
        leaving before: UserDirectory,
        _ departures: [UserDirectory.Departure],
        _ machine: inout InstallationMachine,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        var departures = departures
        if let mpid = before.current, machine.state.directory.entries[mpid] == nil,
            let consent = before.entries[mpid]?.consent, !departures.contains(where: { $0.mpid == mpid })
        {
            departures.append(UserDirectory.Departure(mpid: mpid, consent: consent))
        }
        guard transaction.scope.key != nil else {
            return try transaction.keep(departures, machine.state.number)
        }
        for one in departures { machine.shared.value.keep(one.consent, of: one.mpid) }
    }
}
