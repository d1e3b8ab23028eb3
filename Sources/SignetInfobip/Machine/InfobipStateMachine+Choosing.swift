// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetWire

extension InfobipStateMachine {
    /// Chooses the next operation, and the callers who wait for it.
    ///
    /// The order is: registration, and the person of a lost one; personalize and depersonalize; changes; calls that are
    /// done once; former registrations, events and sessions. A change of the person goes after the changes saved before
    /// it.
    ///
    /// - Parameters:
    ///   - isPaused: Chooses only operations with waiting callers if true.
    ///   - now: Uptime.
    ///   - milliseconds: The wall clock.
    /// - Returns: The operation and its tickets; nil if there is nothing to do.
    func choose(isPaused: Bool, now: Duration, milliseconds: Int64) -> (Operation, [Int])? {
        guard let registration = self.memory.registration else {
            guard let token = self.memory.token, !isPaused || self.hasCallers else { return nil }
            var profile = self.profile
            profile.pushRegistrationID = nil
            return (.register(profile, token), [])
        }
        let first = self.chooseFirst(isPaused: isPaused)
        if let first { return first }
        let isDoubted = self.memory.doubt != .none && !self.memory.depersonalization.isRequested
        // Changes that may be old wait for this, and so do their callers.
        if isDoubted, !isPaused || self.mayBeOld && !self.userTickets.isEmpty { return self.fetchUser }
        guard !isPaused else {
            return self.chooseSaves(registration, milliseconds, onlyCalls: true) ?? self.chooseCall()
        }
        return self.chooseSaves(registration, milliseconds, onlyCalls: false) ?? self.chooseCall()
            ?? self.memory.former.first.map { (.expire($0), []) }
            ?? self.chooseReports(now: now, milliseconds: milliseconds)
            // Last, so that a service that does not answer it blocks nothing else.
            ?? (self.memory.isInfobipDoubted ? (.fetchInstallation, self.tickets(of: .fetchInstallation)) : nil)
    }

    private func chooseFirst(isPaused: Bool) -> (Operation, [Int])? {
        let isRequested = self.memory.depersonalization.isRequested
        let next = self.urgent.first
        let isDue = next != nil || !isPaused || !self.depersonalizeTickets.isEmpty
        // Callers of a save wait for this, too: before it, the save would go to another person.
        guard isDue || self.hasCallers && !isRequested else { return nil }
        switch self.memory.recovery {
        case .identity: return (.restore(self.memory.user.leadingIdentity), [])
        // After a refused fetch, callers do not wait for it in a pause.
        case .details where !isPaused || !self.isFetchRefused: return self.fetchUser
        case .details, .none: break
        }
        let linked = self.memory.linked?.identity.map { identity in
            InfobipCall.Personalization(identity: identity, attributes: nil, options: .init())
        }
        if isRequested {
            if self.memory.doubted != nil { return self.fetchUser }
            if let identity = self.memory.introduction { return (.introduce(identity), []) }
            if !self.memory.farewell.isEmpty {
                if self.mayBeOld { return self.fetchUser }
                return (.saveUser(self.memory.farewell, known: nil, isFarewell: true), [])
            }
            if let told = self.chooseLeft() { return told }
            if let linked { return (.personalize(linked, clears: true), []) }
            guard let next, case .personalize(let personalization) = next.call else {
                return (.depersonalize, self.depersonalizeTickets)
            }
            return (.personalize(personalization, clears: true), [next.ticket])
        }
        // The followed login was requested before the calls of now.
        if let linked { return (.personalize(linked, clears: false), []) }
        guard isDue, let next, case .personalize(let personalization) = next.call else { return nil }
        // The saved changes belong to the present person.
        if next.isForced {
            if self.hasDoubted { return self.fetchUser }
            if !self.memory.userChanges.isEmpty { return self.mayBeOld ? self.fetchUser : self.saveUser }
            if let told = self.chooseLeft() { return told }
        }
        return (.personalize(personalization, clears: false), [next.ticket])
    }

    private func chooseSaves(
        _ registration: InfobipMemory.Registration,
        _ milliseconds: Int64,
        onlyCalls: Bool
    ) -> (Operation, [Int])? {
        let token = self.memory.token == registration.token ? nil : self.memory.token
        let hash = self.systemHash(milliseconds)
        let system = hash == registration.systemHash ? nil : hash
        var changes = self.memory.installationChanges
        if self.memory.depersonalization.isRequested { changes = changes.without(changes.ofPerson) }
        if !changes.isEmpty || token != nil || system != nil, !onlyCalls || !self.infobipTickets.isEmpty {
            let save = Operation.saveInstallation(changes, known: self.knownInfobip, token: token, system: system)
            return (save, self.infobipTickets)
        }
        let isBlocked = self.memory.depersonalization.isRequested || self.memory.doubt == .person
        guard !self.memory.userChanges.isEmpty, !isBlocked, !onlyCalls || !self.userTickets.isEmpty else { return nil }
        return self.saveUser
    }

    private var saveUser: (Operation, [Int]) {
        (.saveUser(self.memory.userChanges, known: self.knownUser, isFarewell: false), self.userTickets)
    }

    private var fetchUser: (Operation, [Int]) {
        (.fetchUser, self.tickets(of: .fetchUser))
    }

    private func chooseCall() -> (Operation, [Int])? {
        guard let next = self.queue.first else { return nil }
        switch next.call {
        case .fetchUser: return self.fetchUser
        case .fetchInstallation: return (.fetchInstallation, self.tickets(of: .fetchInstallation))
        case .depersonalizeOther(let id): return (.depersonalizeOther(id), [next.ticket])
        case .setPrimary(let id, let isPrimary): return (.setPrimary(id, isPrimary), [next.ticket])
        case .send(let event): return (.sendEvent(event), [next.ticket])
        case .saveUser, .saveInstallation, .personalize, .depersonalize, .awaitRegistration: return nil
        }
    }

    /// The callers who ask the same; one answer serves all of them.
    func tickets(of call: InfobipCall) -> [Int] {
        self.queue.filter { $0.call == call }.map(\.ticket)
    }

    private func chooseReports(now: Duration, milliseconds: Int64) -> (Operation, [Int])? {
        if !self.memory.events.isEmpty, self.eventsDue.map({ $0 <= now }) ?? true {
            return (.sendEvents(self.firstEvents(before: self.memory.events.upperBound)), [])
        }
        guard self.isReportDue, !self.memory.depersonalization.isRequested,
            let report = self.memory.sessions.report(now: milliseconds)
        else { return nil }
        return (.reportSessions(report), [])
    }

    /// The most events in one request.
    static var batch: UInt64 { 100 }

    /// The hash of the system data that the service is to have now.
    func systemHash(_ milliseconds: Int64) -> String {
        self.isFresh(milliseconds) ? self.systemHash.fresh : self.systemHash.settled
    }

    /// True before registration and in the first hour after it: the user may not have been asked about notifications
    /// yet.
    func isFresh(_ milliseconds: Int64) -> Bool {
        self.memory.registration.map { milliseconds - $0.at < Self.settling } ?? true
    }
}
