// SPDX-License-Identifier: Apache-2.0

import Signet

// Content that is too large (413) for the service, or for something in between; and events that the service refuses.
extension InfobipStateMachine {
    /// Reads an answer to content that is too large, or to events that are refused.
    ///
    /// Of several events, fewer go at once: whoever has found them too large, and while it may be one of them that the
    /// service refuses. What cannot be halved is tried again with the longest pause, and given up after a day of tries,
    /// unless the service itself has refused it.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - operation: The operation that it ends.
    ///   - milliseconds: The wall clock, in milliseconds since 1970.
    /// - Returns: The meaning of the answer; any other answer is returned as it is.
    mutating func fit(_ answer: Answer, to operation: Operation, _ milliseconds: Int64) -> Answer {
        let read = self.read(answer, to: operation, milliseconds)
        switch read {
        // It has ended, and what is saved next is another matter. Events that have waited through the same day share it.
        case .done, .user, .installation, .refused:
            if !self.isShared(read, of: operation), self.memory.tooLarge?.subject == operation.subject {
                self.memory.tooLarge = nil
            }
        case .lost, .tooMany, .failed: break
        }
        return read
    }

    /// True if an event was given up after a day of tries, and others of its person have waited as long.
    private func isShared(_ answer: Answer, of operation: Operation) -> Bool {
        // The service itself gives its reason.
        guard case .refused(let error, _) = answer, error.isOfSize, error.errors.isEmpty,
            case .sendEvents(let sent, let scope) = operation, let before = self.memory.tooLarge?.before
        else { return false }
        return self.memory.people[scope]?.events.all.contains { $0 < before && !sent.contains($0) } ?? false
    }

    private mutating func read(_ answer: Answer, to operation: Operation, _ milliseconds: Int64) -> Answer {
        guard case .failure(let error) = answer.outcome else { return answer }
        if case .refused = answer, let ordinals = operation.events, self.refuse(ordinals) == .halve {
            return self.halve(ordinals, of: operation, error)
        }
        guard error.isOfSize else { return answer }
        if let ordinals = operation.events, ordinals.count > 1 { return self.halve(ordinals, of: operation, error) }
        guard case .failed = answer, operation.holdsData else { return answer }
        let subject = operation.subject
        let earlier = self.memory.tooLarge.flatMap { $0.subject == subject && operation.shares($0) ? $0 : nil }
        switch UnexplainedRefusals.next(after: earlier?.count, at: milliseconds) {
        case .giveUp:
            return .refused(error, rollsBackIdentity: false)
        case .tryAgain(let count):
            let before = earlier?.before ?? self.memory.nextEvent
            self.memory.tooLarge = .init(subject: subject, count: count, before: before)
            return answer
        }
    }

    private mutating func halve(_ ordinals: [UInt64], of operation: Operation, _ error: SignetError) -> Answer {
        self.eventsAtOnce = ordinals.count / 2
        self.allow(operation)
        return .tooMany(error)
    }

    /// Judges a refusal of events by the service.
    private mutating func refuse(_ ordinals: [UInt64]) -> RefusalSearch.Step {
        guard let first = ordinals.first, let last = ordinals.last else { return .giveUp }
        // After a search in which nothing was taken no other begins: what is refused may be common to all events.
        var refused =
            self.refusedEvents.flatMap { $0.last >= first || $0.search.isFruitless ? $0 : nil }
            ?? RefusedEvents(search: RefusalSearch(among: ordinals.count), last: last)
        let step = refused.search.refuse(ordinals.count)
        // The search is over: the rest goes together.
        if refused.search.isFruitless || step == .giveUp && ordinals.count > 1 { self.eventsAtOnce = Self.batch }
        self.refusedEvents = refused
        return step
    }

    /// Sends more events at once after some that were taken.
    mutating func fitted(_ operation: Operation) {
        guard let last = operation.events?.last else { return }
        self.refusedEvents?.search.accept()
        if let refused = self.refusedEvents, refused.last <= last { self.refusedEvents = nil }
        self.eventsAtOnce = min(self.eventsAtOnce * 2, Self.batch)
        // There may be more of a person who leaves.
        self.allow(operation)
    }

    /// Events that the service has refused together, and those that are left of them.
    struct RefusedEvents: Sendable {
        var search: RefusalSearch
        /// The last of them.
        let last: UInt64
    }
}

extension InfobipMemory {
    /// The refusals of a save, or of events one after the other, as too large, without a reason of the service.
    struct TooLarge: Sendable, Hashable {
        /// The name of the operation; a count for another one says nothing.
        let subject: String
        let count: UnexplainedRefusals
        /// The ordinal of the next event at the first refusal: events before it share the count.
        let before: UInt64
    }
}

extension InfobipMemory.TooLarge: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("of", self.subject)
        encoder.write("count", self.count)
        encoder.write("before", self.before)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(subject: decoder.read("of"), count: decoder.read("count"), before: decoder.read("before"))
    }
}

extension InfobipOperation {
    /// A name by which a later process recognises the operation, without anything of the user.
    ///
    /// Changes are named by the oldest of them: while it waits, whatever is added to it is too large as well. All events
    /// of a person have one name.
    fileprivate var subject: String {
        switch self {
        case .saveUser(let edits, let scope, _): "user \(scope) \(edits.numbers.values.min() ?? 0)"
        case .saveInstallation(let edits, _, _, let scope): "installation \(scope) \(edits.numbers.values.min() ?? 0)"
        case .sendEvents(_, let scope): "events \(scope)"
        default: ""
        }
    }

    /// True if refusals of its name count for the operation: an event must have waited through all of them.
    fileprivate func shares(_ refusals: InfobipMemory.TooLarge) -> Bool {
        self.events?.allSatisfy { $0 < refusals.before } ?? true
    }
}

extension SignetError {
    /// True if the content was too large, for the service or for something in between.
    var isOfSize: Bool { self.httpStatus == 413 }

    /// The pauses after a failure.
    var steps: [Duration] { self.isOfSize ? BackOff.longestSteps : BackOff.steps }

    /// The reason for the pause after a failure: what is too large says nothing of the requests of others.
    var obstacle: LinkedObstacle {
        if self.isOfSize { return .content(self) }
        return self.code == .tokenUnavailable ? .token(self) : .service(self)
    }
}
