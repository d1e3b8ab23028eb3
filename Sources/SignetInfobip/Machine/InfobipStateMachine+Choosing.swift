// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

extension InfobipStateMachine {
    /// An operation, and the tickets of the callers who wait for it.
    typealias Choice = (operation: Operation, tickets: [Int])

    /// Chooses the next operation.
    ///
    /// - Parameters:
    ///   - isPaused: Chooses only operations with waiting callers if true.
    ///   - now: Uptime.
    ///   - milliseconds: The wall clock.
    /// - Returns: The operation; nil if there is nothing to do.
    func choose(isPaused: Bool, now: Duration, milliseconds: Int64) -> Choice? {
        guard let active = self.memory.active else {
            // Callers who wait for a registration wait through pauses.
            let hasCallers = self.callers.contains { $0 != .registration }
            guard let token = self.memory.token, !isPaused || hasCallers else { return nil }
            var shown = self.memory
            if !shown.people.isAttached { shown.installation.dropPersonChanges() }
            var profile = shown.profile(on: self.device)
            profile.pushRegistrationID = nil
            return (.register(profile, token), [])
        }
        if let barrier = self.chooseBarrier(isPaused: isPaused) { return barrier }
        let call = self.chooseSaves(active, milliseconds, onlyCalls: isPaused) ?? self.chooseCall()
        guard !isPaused else { return call }
        return call ?? self.memory.former.first.map { (.expire($0), []) }
            ?? self.chooseReports(now: now, milliseconds: milliseconds)
    }

    private func chooseBarrier(isPaused: Bool) -> Choice? {
        let last = self.memory.last
        guard let barrier = last.barriers.first, !isPaused || self.callers.contains(\.needsPerson) else { return nil }
        if let leaving = self.memory.people.leaving, let attempt = self.chooseAttempt(leaving) { return attempt }
        let tickets = self.callers.tickets { $0 == .attach(barrier.number) || $0 == .detach(barrier.number) }
        switch barrier {
        case .attach(let attach): return (.attach(attach, scope: last.id), tickets)
        case .detach: return (.detach(scope: last.id), tickets)
        case .look: return (.look(scope: last.id), tickets)
        }
    }

    /// Chooses an attempt for a person whom the service still has, and who leaves.
    private func chooseAttempt(_ scope: PersonScope) -> Choice? {
        // Behind an attach, data without a person is for the person that it names.
        guard scope.barriers.isEmpty || scope.claim != .anonymous else { return nil }
        func isOpen(_ part: Operation.Attempt.Part) -> Bool {
            !self.attempts.contains(.init(scope: scope.id, part: part))
        }
        if !scope.edits.isEmpty, self.hasToken, isOpen(.edits) {
            return (.saveUser(scope.edits, scope: scope.id, isLast: true), [])
        }
        for waiting in self.callers.waiting {
            if case .call(.send(let event), scope.id) = waiting.event { return (.sendEvent(event), [waiting.ticket]) }
        }
        if !scope.events.isEmpty, isOpen(.events) {
            return (.sendEvents(scope.events.first(self.eventsAtOnce), scope: scope.id), [])
        }
        guard isOpen(.sessions), let report = scope.sessions.report(now: .max) else { return nil }
        return (.reportSessions(report, scope: scope.id), [])
    }

    private func chooseSaves(
        _ active: InfobipMemory.Registration.Active,
        _ milliseconds: Int64,
        onlyCalls: Bool
    ) -> Choice? {
        let token = self.memory.token == active.token ? nil : self.memory.token
        let hash = self.systemHash(milliseconds)
        let system = hash == active.systemHash || active.hasRefused(hash, milliseconds) ? nil : hash
        let (last, isAttached) = (self.memory.last, self.memory.people.isAttached)
        let all = self.memory.installation.edits
        // A change of the person would take its data back, or take it along.
        let edits = isAttached ? all : all.ofDevice
        let callers = self.callers.tickets { if case .installation = $0 { true } else { false } }
        if !edits.isEmpty || token != nil || system != nil, !onlyCalls || !callers.isEmpty {
            return (.saveInstallation(edits, token: token, system: system, scope: last.id), callers)
        }
        let savers = self.callers.tickets { $0 == .edits(last.id) }
        guard isAttached, !last.edits.isEmpty, !onlyCalls || !savers.isEmpty else { return nil }
        return (.saveUser(last.edits, scope: last.id, isLast: false), savers)
    }

    private func chooseCall() -> Choice? {
        let isAttached = self.memory.people.isAttached
        for waiting in self.callers.waiting {
            guard case .call(let call, let scope) = waiting.event else { continue }
            switch call {
            case .fetchUser where isAttached:
                return (.fetchUser(scope: scope), self.callers.tickets { $0 == waiting.event })
            case .send(let event) where isAttached: return (.sendEvent(event), [waiting.ticket])
            case .fetchInstallation:
                let callers = self.callers.tickets { if case .call(.fetchInstallation, _) = $0 { true } else { false } }
                return (.fetchInstallation, callers)
            case .depersonalizeOther(let id): return (.depersonalizeOther(id, scope: scope), [waiting.ticket])
            case .setPrimary(let id, let isPrimary): return (.setPrimary(id, isPrimary, scope: scope), [waiting.ticket])
            case .saveUser, .saveInstallation, .personalize, .depersonalize, .awaitRegistration, .fetchUser, .send:
                continue
            }
        }
        return nil
    }

    private func chooseReports(now: Duration, milliseconds: Int64) -> Choice? {
        guard self.memory.people.isAttached else { return nil }
        let last = self.memory.last
        if !last.events.isEmpty, self.eventsDue.map({ $0 <= now }) ?? true {
            return (.sendEvents(last.events.first(self.eventsAtOnce), scope: last.id), [])
        }
        guard self.isReportDue, let report = last.sessions.report(now: milliseconds) else { return nil }
        return (.reportSessions(report, scope: last.id), [])
    }
}
