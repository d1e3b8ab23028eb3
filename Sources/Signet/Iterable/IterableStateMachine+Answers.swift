//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension IterableStateMachine {
    /// How long to wait after so many failures of the service in a row: the documented five repetitions, then longer.
    private static let serverPauses: [Duration] = [.zero, .zero, .seconds(2), .seconds(2), .seconds(2)]
    private static let pauses: [Duration] = [
        .seconds(5), .seconds(15), .seconds(60), .seconds(120), .seconds(300),
    ]

    /// An operation has ended.
    ///
    /// - Parameters:
    ///   - number: Which one; a number that is not under way is an answer that comes too late, and counts for nothing.
    ///   - answer: How.
    ///   - now: Uptime.
    ///   - jitter: From 0 to 1.
    /// - Returns: What to do.
    mutating func finish(_ number: Int, _ answer: Answer, now: Duration, jitter: Double) -> [Action] {
        guard let underWay = self.underWay, underWay.number == number else { return [] }
        self.underWay = nil
        switch answer {
        case .done:
            self.failures = 0
            self.pausedUntil = nil
            return self.done(underWay.operation)
        case .conflict(let error):
            guard case .activate = underWay.operation else { return self.refused(underWay.operation, error) }
            // Once at once, should the criteria that come still hold; then with pauses.
            self.failures += 1
            self.pausedUntil = self.failures > 1 ? now + self.pause(error, jitter) : nil
            self.remember { $0.activation = nil }
            return [.save, .fetchCriteria(.conflict)]
        case .refused(let error):
            if case .activate = underWay.operation {
                self.failures += 1
                self.pausedUntil = now + self.pause(error, jitter)
            }
            return self.refused(underWay.operation, error)
        case .failed(let error):
            if case .task(.merge(let source), _) = underWay.operation, error.mayHaveTakenEffect {
                self.uncertainMerge = source
            }
            self.failures += 1
            self.pausedUntil = now + self.pause(error, jitter)
            return []
        case .noToken(let error):
            // Nobody is asked for tokens meanwhile, so that there is none says nothing.
            if self.isOptedOut { return [] }
            if case .task(_, let turn) = underWay.operation, turn.end != nil { return self.abandon(turn, error) }
            if case .send(_, let turn) = underWay.operation, turn.end != nil { return self.abandon(turn, error) }
            self.failures += 1
            self.pausedUntil = now + self.pause(error, jitter)
            return []
        }
    }

    private func pause(_ error: SignetError, _ jitter: Double) -> Duration {
        if let asked = error.retryAfter { return min(max(asked, .seconds(1)), .seconds(86400)) }
        let steps = error.code == .serverFailure ? Self.serverPauses + Self.pauses : Self.pauses
        return steps[min(max(self.failures, 1), steps.count) - 1] * (1 + min(max(jitter, 0), 1) / 5)
    }

    private mutating func done(_ operation: Operation) -> [Action] {
        switch operation {
        case .activate(let activation):
            return self.activated(activation)
        case .send(let record, let turn):
            self.records.removeAll { $0.ordinal == record.ordinal }
            return [.remove([record.ordinal])] + self.concluded(turn, isOfBefore: record.ordinal < turn.born)
        case .task(let task, let turn):
            self.remember { memory in
                memory.turns[0].removeTask(task)
                guard case .changeEmail(let email) = task, case .email = turn.id else { return }
                memory.turns[0].id = .email(email)
            }
            let updates: [Action] =
                switch task {
                case .announce: [.tell(.unknownUserCreated(userID: turn.id.text))]
                case .merge(let source): [.tell(.merged(userID: source, into: turn.id))]
                default: []
                }
            // The app is told before it is written down that it was: rather twice than never.
            if case .announce = task { return updates + [.save] + self.concluded(turn) }
            return [.save] + updates + self.concluded(turn)
        }
    }

    /// The visitor is an unknown user: what they did is the user's, and so is what comes.
    private mutating func activated(_ activation: IterableMemory.Activation) -> [Action] {
        self.remember { memory in
            var tasks: [IterableTask] = [.announce, .awaitToken]
            if let consentedAt = memory.consentedAt { tasks.append(.consent(at: consentedAt, isKnown: false)) }
            if let registration = memory.registration { tasks.append(registration) }
            memory.turns.append(
                IterableTurn(
                    id: .userID(activation.userID),
                    isKnown: false,
                    from: memory.first,
                    born: memory.next,
                    tasks: tasks
                )
            )
            memory.activation = nil
            memory.reservedID = nil
            memory.first = memory.next
        }
        return [.save, .reevaluate]
    }

    private mutating func refused(_ operation: Operation, _ error: SignetError) -> [Action] {
        switch operation {
        case .activate:
            self.remember { $0.activation = nil }
            return [.save, .tell(.activationFailed(error))]
        case .send(let record, let turn):
            self.records.removeAll { $0.ordinal == record.ordinal }
            return [.remove([record.ordinal]), .tell(.refused(IterableRejection(record.record, error)))]
                + self.concluded(turn, isOfBefore: record.ordinal < turn.born)
        case .task(let task, let turn):
            // A merge deletes its source, so this is what a service says to one that it has done, and whose answer was lost.
            if case .merge(let source) = task, source == self.uncertainMerge { return self.done(operation) }
            var updates: [Action] = []
            // An unknown user who is not made now may have been before, and the answer was lost: the merge finds that out.
            self.remember { $0.turns[0].removeTask(task) }
            if case .merge(let source) = task { updates = [.tell(.mergeFailed(userID: source, into: turn.id, error))] }
            if let refusal = IterableRejection(task, error) { updates = [.tell(.refused(refusal))] }
            return [.save] + updates + self.concluded(turn)
        }
    }

    /// A user who has gone, and whom nobody vouches for any more: what was theirs is given up, and told.
    private mutating func abandon(_ turn: IterableTurn, _ error: SignetError) -> [Action] {
        self.remember { $0.turns.removeFirst() }
        let merges = turn.tasks.compactMap { task -> Action? in
            guard case .merge(let source) = task else { return nil }
            return .tell(.mergeFailed(userID: source, into: turn.id, error))
        }
        _ = self.retireTurns()
        return [.save] + self.sweep(.noToken) + merges + [.tell(.abandoned(turn.id, error))] + self.farewell
    }

    /// Something of a user is done; when they have gone and it was the last, so is their turn.
    ///
    /// - Parameters:
    ///   - turn: Whose.
    ///   - isOfBefore: Whether it was of the time before the user was this one.
    /// - Returns: What to do.
    private mutating func concluded(_ turn: IterableTurn, isOfBefore: Bool = true) -> [Action] {
        let hasMore =
            self.memory.turns.first.map { !$0.tasks.isEmpty } ?? false
            || self.records.contains { turn.owns($0.ordinal) && $0.ordinal < turn.born }
        let id = self.memory.turns.first?.id ?? turn.id
        let isRetired = self.retireTurns()
        return (isRetired ? [.save] + self.farewell : []) + (hasMore || !isOfBefore ? [] : [.tell(.resolved(id))])
    }
}

extension SignetError {
    /// Whether the service may have done what was asked of it, though it has not said so.
    fileprivate var mayHaveTakenEffect: Bool {
        switch self.code {
        case .secureConnectionFailed, .throttled, .unauthorized, .tokenUnavailable, .invalidConfiguration: false
        default: true
        }
    }
}
