// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetWire

extension InfobipStateMachine {
    /// Chooses the next operation, and the callers who wait for it.
    ///
    /// - Parameters:
    ///   - isPaused: Chooses only operations with waiting callers if true.
    ///   - now: Uptime.
    ///   - milliseconds: The wall clock.
    /// - Returns: The operation and its tickets; nil if there is nothing to do.
    func choose(isPaused: Bool, now: Duration, milliseconds: Int64) -> (Operation, [Int])? {
        guard let active = self.memory.active else {
            guard let token = self.memory.token, !isPaused || self.hasCallers else { return nil }
            var shown = self
            if !self.memory.isAttached { shown.memory.installation.dropPersonChanges() }
            var profile = shown.profile
            profile.pushRegistrationID = nil
            return (.register(profile, token), [])
        }
        if let barrier = self.chooseBarrier(isPaused: isPaused, milliseconds) { return barrier }
        let call = self.chooseSaves(active, milliseconds, onlyCalls: isPaused) ?? self.chooseCall()
        guard !isPaused else { return call }
        return call ?? self.memory.former.first.map { (.expire($0), []) }
            ?? self.chooseReports(now: now, milliseconds: milliseconds)
    }

    private func chooseBarrier(isPaused: Bool, _ milliseconds: Int64) -> (Operation, [Int])? {
        let last = self.memory.last
        guard let barrier = last.barriers.first, !isPaused || self.waitsForPerson else { return nil }
        if case .known(let id) = self.memory.attachment, id != last.id, let index = self.memory.index(of: id),
            let attempt = self.chooseAttempt(self.memory.scopes[index], milliseconds)
        {
            return attempt
        }
        let tickets = self.tickets { $0 == .barrier(barrier.number) }
        switch barrier {
        case .attach(let attach): return (.attach(attach, scope: last.id), tickets)
        case .detach: return (.detach(scope: last.id), tickets)
        case .look: return (.look(scope: last.id), tickets)
        }
    }

    /// True if a caller waits for a barrier of the last scope, or behind it.
    private var waitsForPerson: Bool {
        self.waiting.contains { waiting in
            switch waiting.event {
            case .barrier, .edits, .call(.fetchUser, _), .call(.send, _): true
            case .registration, .installation, .call: false
            }
        }
    }

    /// Chooses an attempt for a person whom the service still has, and who leaves.
    private func chooseAttempt(_ scope: PersonScope, _ milliseconds: Int64) -> (Operation, [Int])? {
        // Behind an attach, data without a person is for the person that it names.
        guard scope.barriers.isEmpty || scope.claim != .anonymous else { return nil }
        func isOpen(_ part: Attempt.Part) -> Bool { !self.attempts.contains(.init(scope: scope.id, part: part)) }
        if !scope.edits.isEmpty, self.hasToken, isOpen(.edits) {
            return (.saveUser(scope.edits, scope: scope.id, isLast: true), [])
        }
        for waiting in self.waiting {
            if case .call(.send(let event), scope.id) = waiting.event { return (.sendEvent(event), [waiting.ticket]) }
        }
        if !scope.events.isEmpty, isOpen(.events) {
            return (.sendEvents(scope.events.first(Self.batch), scope: scope.id), [])
        }
        guard isOpen(.sessions), let report = scope.sessions.report(now: .max) else { return nil }
        return (.reportSessions(report, scope: scope.id), [])
    }

    private func chooseSaves(
        _ active: InfobipMemory.Registration.Active,
        _ milliseconds: Int64,
        onlyCalls: Bool
    ) -> (Operation, [Int])? {
        let token = self.memory.token == active.token ? nil : self.memory.token
        let hash = self.systemHash(milliseconds)
        let system = hash == active.systemHash ? nil : hash
        let replica = self.memory.installation
        // A change of the person would take its data back, or take it along.
        let changes = self.memory.isAttached ? replica.changes : replica.changes.without(replica.changes.ofPerson)
        let callers = self.tickets { $0 == .installation }
        if !changes.isEmpty || token != nil || system != nil, !onlyCalls || !callers.isEmpty {
            let save = Operation.saveInstallation(
                changes,
                token: token,
                system: system,
                scope: self.memory.last.id
            )
            return (save, callers)
        }
        let last = self.memory.last
        let savers = self.tickets { $0 == .edits(last.id) }
        guard self.memory.isAttached, !last.edits.isEmpty, !onlyCalls || !savers.isEmpty else { return nil }
        return (.saveUser(last.edits, scope: last.id, isLast: false), savers)
    }

    private func chooseCall() -> (Operation, [Int])? {
        for waiting in self.waiting {
            guard case .call(let call, let scope) = waiting.event else { continue }
            switch call {
            case .fetchUser where self.memory.isAttached:
                return (.fetchUser(scope: scope), self.tickets { $0 == waiting.event })
            case .send(let event) where self.memory.isAttached: return (.sendEvent(event), [waiting.ticket])
            case .fetchInstallation:
                return (
                    .fetchInstallation,
                    self.tickets { if case .call(.fetchInstallation, _) = $0 { true } else { false } }
                )
            case .depersonalizeOther(let id): return (.depersonalizeOther(id, scope: scope), [waiting.ticket])
            case .setPrimary(let id, let isPrimary): return (.setPrimary(id, isPrimary, scope: scope), [waiting.ticket])
            case .saveUser, .saveInstallation, .personalize, .depersonalize, .awaitRegistration, .fetchUser, .send:
                continue
            }
        }
        return nil
    }

    private func chooseReports(now: Duration, milliseconds: Int64) -> (Operation, [Int])? {
        guard self.memory.isAttached else { return nil }
        let last = self.memory.last
        if !last.events.isEmpty, self.eventsDue.map({ $0 <= now }) ?? true {
            return (.sendEvents(last.events.first(Self.batch), scope: last.id), [])
        }
        guard self.isReportDue, let report = last.sessions.report(now: milliseconds) else { return nil }
        return (.reportSessions(report, scope: last.id), [])
    }

    /// The hash of the system data that the service is to have now.
    func systemHash(_ milliseconds: Int64) -> String {
        self.isFresh(milliseconds) ? self.systemHash.fresh : self.systemHash.settled
    }

    /// True before registration and in the first hour after it: the user may not have been asked about notifications
    /// yet.
    func isFresh(_ milliseconds: Int64) -> Bool {
        self.memory.active.map { milliseconds - $0.at < Self.settling } ?? true
    }
}
