// SPDX-License-Identifier: Apache-2.0

import Signet

/// The callers who wait for an answer, in the order of their calls.
struct InfobipCallers: Sendable {
    typealias Outcome = Result<InfobipSaveResult, SignetError>

    /// The event that a caller waits for.
    enum Event: Sendable, Hashable {
        case registration
        case edits(PersonScope.ID)
        /// Changes of the installation, with or without those that a depersonalize takes back.
        case installation(ofPerson: Bool)
        /// The personalize of this number.
        case attach(UInt64)
        /// The depersonalize of this number.
        case detach(UInt64)
        /// A call that is done once, of the scope of its moment.
        case call(InfobipCall, PersonScope.ID)

        /// True if it is a change of the person, or waits behind one.
        var needsPerson: Bool {
            switch self {
            case .edits, .attach, .detach, .call(.fetchUser, _), .call(.send, _): true
            case .registration, .installation, .call: false
            }
        }

        /// The outcome after an error; a save and a depersonalize are kept and retried.
        ///
        /// A caller of a save without access gets the error, because only the app can fix it.
        func outcome(after error: SignetError) -> Outcome {
            switch (self, error.code) {
            case (.edits, .tokenUnavailable), (.edits, .unauthorized), (.edits, .invalidConfiguration),
                (.installation, .tokenUnavailable), (.installation, .unauthorized),
                (.installation, .invalidConfiguration):
                .failure(error)
            case (.edits, _), (.installation, _), (.detach, _): .success(.pending)
            case (.registration, _), (.attach, _), (.call, _): .failure(error)
            }
        }
    }

    struct Waiting: Sendable, Hashable {
        let ticket: Int
        var event: Event
    }

    private(set) var waiting: [Waiting] = []
    private var lastTicket = 0

    /// Adds a caller.
    ///
    /// - Returns: Its ticket.
    mutating func add(_ event: Event) -> Int {
        self.lastTicket += 1
        self.waiting.append(Waiting(ticket: self.lastTicket, event: event))
        return self.lastTicket
    }

    func contains(_ isMeant: (Event) -> Bool) -> Bool {
        self.waiting.contains { isMeant($0.event) }
    }

    /// The tickets of the callers that wait for one of these events.
    func tickets(_ isMeant: (Event) -> Bool) -> [Int] {
        self.waiting.filter { isMeant($0.event) }.map(\.ticket)
    }

    /// Lets callers wait for another event.
    mutating func replace(_ event: Event, by other: Event) {
        for index in self.waiting.indices where self.waiting[index].event == event { self.waiting[index].event = other }
    }

    /// Answers the callers that have an outcome.
    mutating func end(_ outcome: (Waiting) -> Outcome?) -> [InfobipStateMachine.Action] {
        var (ends, left): ([InfobipStateMachine.Action], [Waiting]) = ([], [])
        for waiting in self.waiting {
            if let outcome = outcome(waiting) {
                ends.append(.end(waiting.ticket, outcome))
            } else {
                left.append(waiting)
            }
        }
        self.waiting = left
        return ends
    }

    /// Answers callers after an error; see ``Event/outcome(after:)``.
    mutating func fail(_ error: SignetError, _ isMeant: (Waiting) -> Bool) -> [InfobipStateMachine.Action] {
        self.end { isMeant($0) ? $0.event.outcome(after: error) : nil }
    }

    /// Ends the callers whose data, person or barrier is settled.
    ///
    /// - Parameters:
    ///   - outcome: The outcome of the operation that has just ended; nil if none has.
    ///   - isBarrier: True if that operation was one for the first barrier.
    ///   - memory: The memory after it.
    ///   - inFlight: The tickets of the operation in flight.
    /// - Returns: The answers.
    mutating func endOvertaken(
        _ outcome: Outcome?,
        ofBarrier isBarrier: Bool,
        by memory: InfobipMemory,
        _ inFlight: [Int]
    ) -> [InfobipStateMachine.Action] {
        let (last, edits) = (memory.last, memory.installation.edits)
        let isSaved = edits.isEmpty
        let isDeviceSaved = edits.ofDevice.isEmpty
        let scopes = Set(memory.people.all.map(\.id))
        let barriers = Set(memory.people.barriers.map(\.number))
        return self.end { waiting in
            switch waiting.event {
            case .edits(last.id): last.edits.isEmpty ? outcome : nil
            case .edits: .success(.pending)
            // What is the person's goes after whatever changes the person.
            case .installation(ofPerson: true) where !isSaved && !last.barriers.isEmpty: .success(.pending)
            case .installation(let ofPerson): isSaved || (!ofPerson && isDeviceSaved) ? outcome : nil
            case .attach(let number): barriers.contains(number) ? nil : outcome
            // A later barrier may have replaced it, which is not done yet.
            case .detach(let number): barriers.contains(number) ? nil : isBarrier ? outcome : .success(.pending)
            case .call(.fetchUser, let id):
                id == last.id || inFlight.contains(waiting.ticket) ? nil : .failure(.depersonalizationPending)
            case .call(.send, let id): scopes.contains(id) ? nil : .failure(.personGone)
            case .registration, .call: nil
            }
        }
    }
}
