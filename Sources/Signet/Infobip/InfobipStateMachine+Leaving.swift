//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

// What somebody did is told of nobody else: it is sent while the service still has them, or not at all.
extension InfobipStateMachine {
    /// Whoever it is goes, or is to: what was told until now is theirs, and what comes is not.
    mutating func beginLeaving() {
        self.memory.leaving = self.memory.events.upperBound
        self.memory.sessions.leave()
        for index in self.queue.indices where self.queue[index].isEvent { self.queue[index].isLeft = true }
    }

    /// Chooses what is to be told of whoever is to go.
    func chooseLeft() -> (Operation, [Int])? {
        if let next = self.queue.first(where: \.isLeft), case .send(let event) = next.call {
            return (.sendEvent(event), [next.ticket])
        }
        let events = self.firstEvents(before: self.memory.leaving)
        if !events.isEmpty { return (.sendEvents(events), []) }
        return self.memory.sessions.farewell.map { (.reportSessions($0), []) }
    }

    /// The events that go together next.
    func firstEvents(before end: UInt64) -> Range<UInt64> {
        let events = self.memory.events
        let last = min(events.upperBound, events.lowerBound + Self.batch, max(end, events.lowerBound))
        return events.lowerBound..<last
    }

    /// The service has not been told of whoever is to go: who was to come after it does not, and nothing was changed for them.
    mutating func holdUp(_ error: SignetError) -> [Action] {
        let isRequested = self.memory.depersonalization.isRequested
        if isRequested { self.memory.depersonalization.status = .pending }
        let next = self.urgent.first.map { isRequested || $0.isForced ? [$0.ticket] : [] } ?? []
        return (isRequested ? self.end(self.depersonalizeTickets, .success(.pending)) : [])
            + self.end(next, .failure(error))
    }

    /// The service cannot be told any more of whoever is to go.
    mutating func dropLeft(_ error: SignetError) -> [Action] {
        let events = self.memory.events
        let end = min(max(self.memory.leaving, events.lowerBound), events.upperBound)
        self.memory.events = end..<events.upperBound
        self.memory.sessions.left = []
        return self.dropped(events.lowerBound..<end)
            + self.end(self.queue.filter(\.isLeft).map(\.ticket), .failure(error))
    }

    /// Whoever was to come does not: there is nobody whom what was told since could be of.
    mutating func dropSince() -> [Action] {
        let events = self.memory.events
        let end = min(max(self.memory.leaving, events.lowerBound), events.upperBound)
        self.memory.events = events.lowerBound..<end
        self.memory.sessions.all = []
        return self.dropped(end..<events.upperBound)
    }

    /// Whether anything is to be told of whoever is to go.
    var hasFarewell: Bool {
        !self.memory.userChanges.isEmpty || !self.memory.events.isEmpty || !self.memory.sessions.left.isEmpty
            || self.queue.contains(where: \.isLeft)
    }

    /// Whether anything was told since nobody knows for whom.
    var hasDoubted: Bool {
        guard let doubted = self.memory.doubted else { return false }
        return !self.memory.sessions.left.isEmpty || self.memory.events.upperBound > doubted
    }

    /// From now on the app takes the person for somebody whom the service may not have any more.
    mutating func beginDoubt() {
        self.memory.doubted = self.memory.doubted ?? self.memory.events.upperBound
    }

    /// The service has said whom it has, and somebody is about to go: what was told in doubt is of them or of nobody.
    mutating func settleDoubt(_ user: InfobipUser) -> [Action] {
        let departed = InfobipUser().applying(self.memory.departed?.changes ?? .init())
        let isOther = departed.hasIdentity || user.hasIdentity ? !departed.isSame(as: user) : false
        if isOther { return self.dropDoubted() }
        self.memory.doubted = nil
        self.memory.departed = nil
        return []
    }

    /// Whose the doubted events are is not known, or they are gone.
    mutating func dropDoubted() -> [Action] {
        self.memory.departed = nil
        return self.memory.doubted.map { self.dropUntold(from: $0) } ?? []
    }

    /// Whoever the app has seen is not there, or may not be: what was told of them is told of nobody else.
    ///
    /// - Parameter first: The first event that is of them; nil for all.
    /// - Returns: What goes, and who is to hear of it.
    mutating func dropUntold(from first: UInt64?) -> [Action] {
        self.memory.doubted = nil
        let events = self.memory.events
        let start = min(max(first ?? 0, events.lowerBound), events.upperBound)
        // What was told after somebody else was asked for is theirs.
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

    /// A user is erased who is not in front of the installation any more: whoever is to go may be they.
    mutating func forgetLeft() -> [Action] {
        self.memory.farewell = InfobipUserChanges()
        self.memory.introduction = nil
        if self.memory.depersonalization.isRequested {
            self.memory.unanswered = []
            // What was told in doubt was told before, and goes with the rest.
            self.memory.doubted = nil
            self.memory.departed = nil
        }
        return [.save] + self.dropLeft(.cancelled)
    }

    /// Says that changes of a person are given up.
    func dropped(_ changes: InfobipUserChanges) -> [Action] {
        changes.isEmpty ? [] : [.dropChanges(changes.count)]
    }

    private func dropped(_ events: Range<UInt64>) -> [Action] {
        events.isEmpty ? [] : [.drop(Array(events))]
    }
}

extension InfobipStateMachine.Waiting {
    /// Whether it tells of something that the person did.
    var isEvent: Bool {
        if case .send = self.call { true } else { false }
    }
}
