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
    ///   - milliseconds: The wall clock, in milliseconds since 1970, for refusals without a reason.
    /// - Returns: The actions.
    mutating func finish(
        _ number: Int,
        _ answer: Answer,
        now: Duration,
        jitter: Double,
        at milliseconds: Int64 = 0
    ) -> [Action] {
        guard let underWay = self.underWay, underWay.number == number else { return [] }
        self.underWay = nil
        if case .match = underWay.operation {
            self.isMatchDue = false
            // The pauses grow as long as the service refuses what matches.
            if case .failed(let error) = answer { self.matchNotSaved(error, now: now, jitter: jitter) }
            return []
        }
        switch answer {
        case .noToken(let error):
            return self.withoutToken(underWay.operation, error, now, jitter)
        case .tokenGivenUp(let error):
            // No tokens are requested during an opt-out, so a missing token means nothing.
            if self.isOptedOut { return [] }
            guard let turn = self.turn(of: underWay.operation), !self.isInFront(turn) else {
                return self.withoutToken(underWay.operation, error, now, jitter)
            }
            return self.abandon(turn, error)
        case .unexplained(let error):
            return self.unexplained(underWay.operation, error, now, jitter, at: milliseconds)
        case .done:
            self.clearPause()
            return self.ended(underWay.operation) { $0.done(underWay.operation) }
        case .conflict(let error):
            guard case .activate = underWay.operation else {
                return self.ended(underWay.operation) { $0.refused(underWay.operation, error) }
            }
            // The first retry is immediate if the new criteria still match; later ones pause.
            self.pause(error, now, jitter)
            self.lastObstacle = .refusal(error)
            if self.backOff.failures == 1 { self.backOff.endPause() }
            self.remember { $0.activation = nil }
            return [.save, .fetchCriteria(.conflict)]
        case .refused(let error):
            return self.ended(underWay.operation) { $0.refused(underWay.operation, error, now, jitter) }
        case .failed(let error):
            // The app cannot take the user yet, and Iterable is not to blame.
            if case .task(.announce, _) = underWay.operation {
                return self.withoutToken(underWay.operation, error, now, jitter)
            }
            if case .task(.merge(let source), _) = underWay.operation, error.mayHaveTakenEffect {
                self.uncertainMerge = source
            }
            return self.postponed(error, now, jitter)
        }
    }

    /// Waits for a token; others go before a user who has left, and wait for nothing.
    private mutating func withoutToken(
        _ operation: Operation,
        _ error: SignetError,
        _ now: Duration,
        _ jitter: Double
    ) -> [Action] {
        if self.isOptedOut { return [] }
        guard let turn = self.turn(of: operation), !self.isInFront(turn) else {
            let actions = self.postponed(error, now, jitter)
            self.lastObstacle = .token(error)
            return actions
        }
        let actions = self.setAside(turn)
        guard self.unhindered == nil else { return actions }
        self.tokenless.pause(error, now: now, jitter: jitter)
        return actions + [.postpone(error, for: self.pausedUntil.map { $0 - now } ?? .zero)]
    }

    /// Forgets the refusals of an operation that has ended: another one may have its name.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - isShared: True if others may still share its refusals.
    ///   - consequence: The changes of its end.
    /// - Returns: The actions.
    private mutating func ended(
        _ operation: Operation,
        isShared: Bool = false,
        _ consequence: (inout Self) -> [Action]
    ) -> [Action] {
        let before = self.memory.refusals
        if !isShared, before.contains(where: { $0.subject == operation.subject }) {
            self.remember { $0.refusals.removeAll { $0.subject == operation.subject } }
        }
        let actions = consequence(&self)
        // Removes refusals that no pending operation shares.
        if !self.memory.refusals.isEmpty { self.remember { _ in } }
        let isSaved = actions.contains { if case .save = $0 { true } else { false } }
        return self.memory.refusals != before && !isSaved ? actions + [.save] : actions
    }

    private mutating func refused(
        _ operation: Operation,
        _ error: SignetError,
        _ now: Duration,
        _ jitter: Double
    ) -> [Action] {
        if case .activate = operation {
            self.pause(error, now, jitter)
            self.lastObstacle = .refusal(error)
            self.isMatchDue = true
        }
        return self.refused(operation, error)
    }

    /// Tries an operation again after a refusal without a reason, until what stands in between has stood for a day.
    private mutating func unexplained(
        _ operation: Operation,
        _ error: SignetError,
        _ now: Duration,
        _ jitter: Double,
        at milliseconds: Int64
    ) -> [Action] {
        let (subject, status) = (operation.subject, error.httpStatus ?? 0)
        let earlier = self.memory.refusals.first { $0.status == status && operation.shares($0) }
        switch UnexplainedRefusals.next(after: earlier?.count, at: milliseconds) {
        case .giveUp:
            // The other records that have waited through the day are tried once each.
            let isRecord = if case .send = operation { true } else { false }
            return self.ended(operation, isShared: isRecord) { $0.refused(operation, error, now, jitter) }
        case .tryAgain(let count):
            let actions = self.postponed(error, now, jitter)
            // The first may be of the way, and all wait.
            if earlier != nil { self.lastObstacle = .content(error) }
            guard count != earlier?.count else { return actions }
            self.remember { memory in
                memory.refusals.removeAll { $0.subject == subject && $0.status == status }
                memory.refusals.append(
                    .init(subject: subject, status: status, count: count, before: earlier?.before ?? memory.next)
                )
            }
            return [.save] + actions
        }
    }

    private mutating func pause(_ error: SignetError, _ now: Duration, _ jitter: Double) {
        let steps =
            switch (error.code, error.httpStatus ?? 0) {
            // The quick repetitions are those of the service; a page of a proxy is another matter.
            case (.serverFailure, 400...499): BackOff.steps
            case (.serverFailure, _): Self.serverPauses + BackOff.steps
            case (_, 413): BackOff.longestSteps
            default: BackOff.steps
            }
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
            self.tokenless.remove(turn)
            return [.remove([record.ordinal]), .countSent]
                + self.concluded(turn, isOfBefore: record.ordinal < turn.born)
        case .task(let task, let sent):
            guard let index = self.index(of: sent) else { return [] }
            if task.needsToken { self.tokenless.remove(sent) }
            self.remember { memory in
                memory.turns[index].removeTask(task)
                guard case .changeEmail(let email) = task, case .email = sent.id else { return }
                memory.turns[index].person = .known(.email(email))
            }
            let turn = self.memory.turns[index]
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
                    tasks: tasks,
                    pausesTokens: memory.pausesTokens
                )
            )
            memory.pausesTokens = false
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
            guard let index = self.index(of: turn) else { return [] }
            // The service may have made the refused unknown user before and the answer was lost: the merge finds that
            // out.
            self.remember { $0.turns[index].removeTask(task) }
            if case .merge(let source) = task { updates = [.tell(.mergeFailed(userID: source, into: turn.id, error))] }
            if let refusal = IterableRejection(task, error) { updates = [.tell(.rejected(refusal))] }
            return [.save] + updates + self.concluded(turn)
        }
    }

    /// Drops the pending work of a user who has left and has no token any more, and reports it.
    private mutating func abandon(_ turn: IterableTurn, _ error: SignetError) -> [Action] {
        self.tokenless.remove(turn)
        if let index = self.index(of: turn) { self.remember { $0.turns.remove(at: index) } }
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
        let turn = self.index(of: turn).map { self.memory.turns[$0] } ?? turn
        let hasMore =
            !turn.tasks.isEmpty || self.records.contains { turn.owns($0.ordinal) && $0.ordinal < turn.born }
        let isRetired = self.retireTurns()
        return (isRetired ? [.save] + self.farewell : [])
            + (hasMore || !isOfBefore ? [] : [.tell(.resolved(turn.id))])
    }
}

extension SignetError {
    /// True if the service may have performed the request without confirming it.
    fileprivate var mayHaveTakenEffect: Bool {
        // A redirect, or a 4xx without a code of the service: something in between has answered in its place.
        if let status = self.httpStatus, (300...499).contains(status) { return false }
        switch self.code {
        case .secureConnectionFailed, .throttled, .unauthorized, .tokenUnavailable, .invalidConfiguration: return false
        default: return true
        }
    }
}

extension IterableStateMachine.Operation {
    /// A name of the operation by which a later process recognises it, without anything of the user.
    ///
    /// A task is named by its turn and its kind: the end of one, however it ends, ends its count. All records have one
    /// name.
    var subject: String {
        switch self {
        case .match: "match"
        case .activate(let activation): "activate \(activation.userID)"
        case .task(let task, let turn): "task \(turn.born) \(task.kind)"
        case .send: "records"
        }
    }

    /// True if refusals count for the operation: they are its own, or it has waited through all of them.
    func shares(_ refusals: IterableMemory.Refusals) -> Bool {
        guard refusals.subject == self.subject else { return false }
        guard case .send(let record, _) = self else { return true }
        return record.ordinal < refusals.before
    }
}

extension IterableTask {
    /// The name of the case.
    fileprivate var kind: String {
        switch self {
        case .create: "create"
        case .announce: "announce"
        case .awaitToken: "token"
        case .merge: "merge"
        case .consent: "consent"
        case .register: "register"
        case .disable: "disable"
        case .changeEmail: "email"
        }
    }
}
