// SPDX-License-Identifier: Apache-2.0

import Signet

// Content that is too large (413) for the service, or for something in between.
extension InfobipStateMachine {
    /// Reads an answer to content that is too large.
    ///
    /// Several events are halved, whoever has answered. What cannot be halved is tried again with the longest pause, and
    /// given up after a day of tries, unless the service itself has refused it.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - operation: The operation that it ends.
    ///   - milliseconds: The wall clock, in milliseconds since 1970.
    /// - Returns: The meaning of the answer; any other answer is returned as it is.
    mutating func fit(_ answer: Answer, to operation: Operation, _ milliseconds: Int64) -> Answer {
        let read = self.read(answer, to: operation, milliseconds)
        switch read {
        // It has ended, and what is saved next is another matter.
        case .done, .user, .installation, .refused:
            if let counted = self.memory.tooLarge, counted.subject == operation.subject { self.memory.tooLarge = nil }
        case .lost, .tooMany, .failed: break
        }
        return read
    }

    private mutating func read(_ answer: Answer, to operation: Operation, _ milliseconds: Int64) -> Answer {
        guard case .failure(let error) = answer.outcome, error.httpStatus == 413 else { return answer }
        if case .sendEvents(let ordinals, _) = operation, ordinals.count > 1 {
            self.eventsAtOnce = ordinals.count / 2
            self.allow(operation)
            return .tooMany(error)
        }
        guard case .failed = answer, operation.holdsData else { return answer }
        let subject = operation.subject
        let earlier = self.memory.tooLarge.flatMap { $0.subject == subject ? $0.count : nil }
        switch UnexplainedRefusals.next(after: earlier, at: milliseconds) {
        case .giveUp:
            return .refused(error, rollsBackIdentity: false)
        case .tryAgain(let count):
            self.memory.tooLarge = .init(subject: subject, count: count)
            return answer
        }
    }

    /// Sends more events at once after some that were taken.
    mutating func fitted(_ operation: Operation) {
        guard case .sendEvents = operation, self.eventsAtOnce < Self.batch else { return }
        self.eventsAtOnce = min(self.eventsAtOnce * 2, Self.batch)
        self.allow(operation)
    }
}

extension InfobipMemory {
    /// The refusals of one operation as too large, without a reason of the service.
    struct TooLarge: Sendable, Hashable {
        /// The name of the operation; a count for another one says nothing.
        let subject: String
        let count: UnexplainedRefusals
    }
}

extension InfobipMemory.TooLarge: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("of", self.subject)
        encoder.write("count", self.count)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(subject: decoder.read("of"), count: decoder.read("count"))
    }
}

extension InfobipOperation {
    /// A name by which a later process recognises the operation, without anything of the user.
    ///
    /// Changes are named by the oldest of them: while it waits, whatever is added to it is too large as well.
    fileprivate var subject: String {
        switch self {
        case .saveUser(let edits, let scope, _): "user \(scope) \(edits.numbers.values.min() ?? 0)"
        case .saveInstallation(let edits, _, _, let scope): "installation \(scope) \(edits.numbers.values.min() ?? 0)"
        case .sendEvents(let ordinals, _): "event \(ordinals.first ?? 0)"
        default: ""
        }
    }
}

extension SignetError {
    /// The pauses after a failure.
    var steps: [Duration] { self.httpStatus == 413 ? BackOff.longestSteps : BackOff.steps }
}
