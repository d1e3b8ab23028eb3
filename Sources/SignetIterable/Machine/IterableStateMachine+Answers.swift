// SPDX-License-Identifier: Apache-2.0

import Signet

extension IterableStateMachine {
    /// The documented five repetitions after failures of the service in a row; longer pauses follow.
    private static let serverPauses: [Duration] = [.zero, .zero, .seconds(2), .seconds(2), .seconds(2)]

    /// Handles the end of an operation.
    ///
    /// - Parameters:
    ///   - number: The number of the operation. The answer to one that is not in flight comes too late and is ignored.
    ///   - answer: The outcome.
    ///   - now: Uptime.
    ///   - jitter: From 0 to 1.
    /// - Returns: The actions.
    mutating func finish(_ number: Int, _ answer: Answer, now: Duration, jitter: Double) -> [Action] {
        guard let underWay = self.underWay, underWay.number == number else { return [] }
        self.underWay = nil
        if case .match = underWay.operation {
            self.isMatchDue = false
            // The pauses grow as long as the service refuses what matches.
            if case .failed(let error) = answer { self.matchNotSaved(error, now: now, jitter: jitter) }
            return []
        }
        switch answer {
        case .done:
            self.clearPause()
            return self.done(underWay.operation)
        case .conflict(let error):
            guard case .activate = underWay.operation else { return self.refused(underWay.operation, error) }
            // The first retry is immediate if the new criteria still match; later ones pause.
            self.pause(error, now, jitter)
            self.lastObstacle = .refusal(error)
            if self.backOff.failures == 1 { self.backOff.endPause() }
            self.remember { $0.activation = nil }
            return [.save, .fetchCriteria(.conflict)]
        case .refused(let error):
            if case .activate = underWay.operation {
                self.pause(error, now, jitter)
                self.lastObstacle = .refusal(error)
                self.isMatchDue = true
            }
            return self.refused(underWay.operation, error)
        case .failed(let error):
            if case .task(.merge(let source), _) = underWay.operation, error.mayHaveTakenEffect {
                self.uncertainMerge = source
            }
            let actions = self.postponed(error, now, jitter)
            // The app cannot take the user yet, and Iterable is not to blame.
            if case .task(.announce, _) = underWay.operation { self.lastObstacle = .token(error) }
            return actions
        case .noToken(let error):
            // No tokens are requested during an opt-out, so a missing token means nothing.
            if self.isOptedOut { return [] }
            if case .task(_, let turn) = underWay.operation, turn.end != nil { return self.abandon(turn, error) }
            if case .send(_, let turn) = underWay.operation, turn.end != nil { return self.abandon(turn, error) }
            let actions = self.postponed(error, now, jitter)
            self.lastObstacle = .token(error)
            return actions
        }
    }

    private mutating func pause(_ error: SignetError, _ now: Duration, _ jitter: Double) {
        let steps = error.code == .serverFailure ? Self.serverPauses + BackOff.steps : BackOff.steps
        self.backOff.fail(error, now: now, jitter: jitter, steps: steps)
    }

    private mutating func postponed(_ error: SignetError, _ now: Duration, _ jitter: Double) -> [Action] {
        self.pause(error, now, jitter)
        self.lastObstacle = .service(error)
        return [.postpone(error, for: self.pausedUntil.map { $0 - now } ?? .zero)]
    }

    private mutating func done(_ operation: Operation) -> [Action] {
        switch operation {
        case .match:
            return []
        case .activate(let activation):
            return self.activated(activation)
        case .send(let record, let turn):
            self.records.removeAll { $0.ordinal == record.ordinal }
            return [.remove([record.ordinal]), .countSent]
                + self.concluded(turn, isOfBefore: record.ordinal < turn.born)
        case .task(let task, let turn):
            self.remember { memory in
                memory.turns[0].removeTask(task)
                guard case .changeEmail(let email) = task, case .email = turn.id else { return }
                memory.turns[0].person = .known(.email(email))
            }
            let updates: [Action] =
                switch task {
                case .announce: [.tell(.unknownUserCreated(userID: turn.id.text))]
                case .merge(let source): [.tell(.merged(userID: source, into: turn.id))]
                default: []
                }
            // The app is notified before the memory records it: rather twice than never.
            if case .announce = task { return updates + [.save] + self.concluded(turn) }
            return [.save] + updates + self.concluded(turn)
        }
    }

    /// Makes the visitor an unknown user, who owns the visitor's records and the ones that follow.
    private mutating func activated(_ activation: IterableMemory.Activation) -> [Action] {
        self.remember { memory in
            var tasks: [IterableTask] = [.announce, .awaitToken]
            if let consentedAt = memory.consentedAt { tasks.append(.consent(at: consentedAt, isKnown: false)) }
            if let registration = memory.registration { tasks.append(registration) }
            memory.turns.append(
                IterableTurn(
                    person: .unknown(userID: activation.userID),
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
        case .match:
            return []
        case .activate:
            self.remember { $0.activation = nil }
            return [.save, .tell(.activationFailed(error))]
        case .send(let record, let turn):
            self.records.removeAll { $0.ordinal == record.ordinal }
            return [.remove([record.ordinal]), .tell(.rejected(IterableRejection(record.record, error)))]
                + self.concluded(turn, isOfBefore: record.ordinal < turn.born)
        case .task(let task, let turn):
            // A merge deletes its source, so the service also refuses a repeated merge whose first answer was lost.
            if case .merge(let source) = task, source == self.uncertainMerge { return self.done(operation) }
            var updates: [Action] = []
            // The service may have made the refused unknown user before and the answer was lost: the merge finds that
            // out.
            self.remember { $0.turns[0].removeTask(task) }
            if case .merge(let source) = task { updates = [.tell(.mergeFailed(userID: source, into: turn.id, error))] }
            if let refusal = IterableRejection(task, error) { updates = [.tell(.rejected(refusal))] }
            return [.save] + updates + self.concluded(turn)
        }
    }

    /// Drops the pending work of a user who has left and has no token any more, and reports it.
    private mutating func abandon(_ turn: IterableTurn, _ error: SignetError) -> [Action] {
        self.remember { $0.turns.removeFirst() }
        let merges = turn.tasks.compactMap { task -> Action? in
            guard case .merge(let source) = task else { return nil }
            return .tell(.mergeFailed(userID: source, into: turn.id, error))
        }
        _ = self.retireTurns()
        return [.save] + self.sweep(.noToken) + merges + [.tell(.abandoned(turn.id, error))] + self.farewell
    }

    /// Concludes one piece of a user's work.
    ///
    /// If it was the last and the user has left, their turn ends.
    ///
    /// - Parameters:
    ///   - turn: The turn of the user.
    ///   - isOfBefore: True for work from the time before the user was this one.
    /// - Returns: The actions.
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
    /// True if the service may have performed the request without confirming it.
    fileprivate var mayHaveTakenEffect: Bool {
        switch self.code {
        case .secureConnectionFailed, .throttled, .unauthorized, .tokenUnavailable, .invalidConfiguration: false
        default: true
        }
    }
}
