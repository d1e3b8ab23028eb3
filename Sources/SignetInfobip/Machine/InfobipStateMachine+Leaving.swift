// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

// A person's data go to no other: they are sent while the service still has that person, or not at all.
extension InfobipStateMachine {
    /// Begins the leaving of the person: data recorded until now are theirs, and later data are not.
    mutating func beginLeaving() {
        self.memory.leaving = self.memory.events.upperBound
        self.memory.sessions.leave()
        for index in self.queue.indices where self.queue[index].isEvent { self.queue[index].isLeft = true }
    }

    /// Chooses the next request about the outgoing person.
    func chooseLeft() -> (Operation, [Int])? {
        if let next = self.queue.first(where: \.isLeft), case .send(let event) = next.call {
            return (.sendEvent(event), [next.ticket])
        }
        let events = self.firstEvents(before: self.memory.leaving)
        if !events.isEmpty { return (.sendEvents(events), []) }
        return self.memory.sessions.farewell.map { (.reportSessions($0), []) }
    }

    /// The next events to send together.
    func firstEvents(before end: UInt64) -> Range<UInt64> {
        let events = self.memory.events
        let last = min(events.upperBound, events.lowerBound + Self.batch, max(end, events.lowerBound))
        return events.lowerBound..<last
    }

    /// Ends the callers of the next person, because the outgoing person's data were not sent.
    ///
    /// Nothing was changed for them.
    mutating func holdUp(_ error: SignetError) -> [Action] {
        let isRequested = self.memory.depersonalization.isRequested
        if isRequested { self.memory.depersonalization.status = .pending }
        let next = self.urgent.first.map { isRequested || $0.isForced ? [$0.ticket] : [] } ?? []
        return (isRequested ? self.end(self.depersonalizeTickets, .success(.pending)) : [])
            + self.end(next, .failure(error))
    }

    /// Drops the outgoing person's data, which the service can no longer take.
    mutating func dropLeft(_ error: SignetError) -> [Action] {
        let events = self.memory.events
        let end = min(max(self.memory.leaving, events.lowerBound), events.upperBound)
        self.memory.events = end..<events.upperBound
        self.memory.sessions.left = []
        return self.dropped(events.lowerBound..<end)
            + self.end(self.queue.filter(\.isLeft).map(\.ticket), .failure(error))
    }

    /// Drops the data recorded since the person left, because the next person does not come.
    mutating func dropSince() -> [Action] {
        let events = self.memory.events
        let end = min(max(self.memory.leaving, events.lowerBound), events.upperBound)
        self.memory.events = events.lowerBound..<end
        self.memory.sessions.all = []
        return self.dropped(end..<events.upperBound)
    }

    /// True if data of the outgoing person are to be sent.
    var hasFarewell: Bool {
        !self.memory.userChanges.isEmpty || !self.memory.events.isEmpty || !self.memory.sessions.left.isEmpty
            || self.queue.contains(where: \.isLeft)
    }

    /// True if anything was recorded since the person is in doubt.
    var hasDoubted: Bool {
        guard let doubted = self.memory.doubted else { return false }
        return !self.memory.sessions.left.isEmpty || self.memory.events.upperBound > doubted
    }

    /// Begins a doubt: the service may not have the person any more whom the app assumes.
    mutating func beginDoubt() {
        self.memory.doubted = self.memory.doubted ?? self.memory.events.upperBound
    }

    /// Settles the doubted events of the outgoing person: drops them if the service has named another person.
    mutating func settleDoubt(_ user: InfobipUser) -> [Action] {
        let departed = InfobipUser().applying(self.memory.departed?.changes ?? .init())
        let isOther = departed.hasIdentity || user.hasIdentity ? !departed.isSame(as: user) : false
        if isOther { return self.dropDoubted() }
        self.memory.doubted = nil
        self.memory.departed = nil
        return []
    }

    /// Drops the doubted events: their person is unknown, or gone.
    mutating func dropDoubted() -> [Action] {
        self.memory.departed = nil
        return self.memory.doubted.map { self.dropUntold(from: $0) } ?? []
    }

    /// Drops the data of a person whom the service does not have, or may not have.
    ///
    /// - Parameter first: The first event of that person; nil for all.
    /// - Returns: The actions to take.
    mutating func dropUntold(from first: UInt64?) -> [Action] {
        self.memory.doubted = nil
        let events = self.memory.events
        let start = min(max(first ?? 0, events.lowerBound), events.upperBound)
        // Data recorded after another person was requested belong to that person.
        let isFollowed =
            self.memory.depersonalization.isRequested || self.urgent.contains { $0.isForced || $0.isReplacement }
        let end = isFollowed ? min(max(self.memory.leaving, start), events.upperBound) : events.upperBound
        if end == events.upperBound {
            self.memory.events = events.lowerBound..<start
        } else if start == events.lowerBound {
            self.memory.events = end..<events.upperBound
        } else {
            self.memory.untold = start..<end
        }
        if isFollowed { self.memory.sessions.left = [] } else { self.memory.sessions = InfobipSessions() }
        let callers = self.queue.filter { $0.isEvent && ($0.isLeft || !isFollowed) }
        return self.dropped(start..<end) + self.end(callers.map(\.ticket), .failure(.personGone))
    }

    /// Forgets the outgoing person's data when a user who is not current is erased: they may be the same person.
    mutating func forgetLeft() -> [Action] {
        self.memory.farewell = InfobipUserChanges()
        self.memory.introduction = nil
        if self.memory.depersonalization.isRequested {
            self.memory.unanswered = []
            // Doubted events were recorded before the request, and go with the rest.
            self.memory.doubted = nil
            self.memory.departed = nil
        }
        return [.save] + self.dropLeft(.cancelled)
    }

    /// Reports the changes of a person that are given up.
    func dropped(_ changes: InfobipUserChanges) -> [Action] {
        changes.isEmpty ? [] : [.dropChanges(changes.count)]
    }

    private func dropped(_ events: Range<UInt64>) -> [Action] {
        events.isEmpty ? [] : [.drop(Array(events))]
    }
}

extension InfobipStateMachine.Waiting {
    /// True if it sends an event of the person.
    var isEvent: Bool {
        if case .send = self.call { true } else { false }
    }
}
