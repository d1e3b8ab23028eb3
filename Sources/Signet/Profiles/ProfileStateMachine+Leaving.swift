//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

// What somebody did is told of nobody else: it is sent while the service still has them, or not at all.
extension ProfileStateMachine {
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

    /// Somebody has come by force: what nobody did before is not theirs, and what they did themselves goes before the next.
    mutating func settleSince(_ tickets: [Int]) -> [Action] {
        let events = self.memory.events
        let came = self.urgent.first { tickets.contains($0.ticket) }
        let end = min(max(came?.since ?? 0, events.lowerBound), events.upperBound)
        self.memory.events = end..<events.upperBound
        if let next = self.urgent.first(where: { $0.since != nil && !tickets.contains($0.ticket) })?.since {
            self.memory.leaving = max(self.memory.leaving, next)
        }
        return self.dropped(events.lowerBound..<end)
    }

    /// A user is erased who is not in front of the installation any more: whoever is to go may be they.
    mutating func forgetLeft() -> [Action] {
        self.memory.farewell = UserProfileChanges()
        if self.memory.depersonalization.isRequested { self.memory.unanswered = [] }
        return [.save] + self.dropLeft(.cancelled)
    }

    /// Says that changes of a person are given up.
    func dropped(_ changes: UserProfileChanges) -> [Action] {
        changes.isEmpty ? [] : [.dropChanges(changes.count)]
    }

    private func dropped(_ events: Range<UInt64>) -> [Action] {
        events.isEmpty ? [] : [.drop(Array(events))]
    }
}

extension ProfileStateMachine.Waiting {
    /// Whether it tells of something that the person did.
    var isEvent: Bool {
        if case .send = self.call { true } else { false }
    }
}
