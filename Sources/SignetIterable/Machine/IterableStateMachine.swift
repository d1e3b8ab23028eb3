// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria

/// The reason that criteria are fetched.
enum CriteriaOccasion: Sendable, Hashable {
    /// The app was launched, consent was given, or a new visitor began.
    case beginning
    /// The app came to the foreground.
    case foreground
    /// The service has other criteria.
    case conflict
}

/// Decides about a visitor: the records to store, the creation of an unknown user, and the requests, in order.
///
/// It holds the state on disk, and two things that are not there: the request in flight and the pause before the next.
struct IterableStateMachine: Sendable {
    /// An action of a decision, in this order: a kill between any two leaves a state that the next start can handle.
    enum Action: Sendable {
        /// Write the memory.
        case save
        /// Write a record.
        case store(StoredIterableRecord)
        /// Remove records that no longer count.
        case remove([UInt64])
        /// Send an update to the subscribers.
        case tell(IterableChange.Kind)
        /// Match all records of the visitor against the criteria again.
        case reevaluate
        /// Match one more record of the visitor against the criteria.
        case evaluate(IterableRecord)
        /// Fetch the criteria.
        case fetchCriteria(CriteriaOccasion)
        /// Forget the old user's token: nothing of theirs is left.
        case forgetToken
        /// Count a record that the service has.
        case countSent
        /// Report that the service is tried again after a pause, because of this error.
        case postpone(SignetError, for: Duration)

        /// True if the criteria may match after it.
        var changesMatching: Bool {
            switch self {
            case .reevaluate, .evaluate: true
            case .save, .store, .remove, .tell, .fetchCriteria, .forgetToken, .countSent, .postpone: false
            }
        }
    }

    /// An operation that is performed outside the machine.
    enum Operation: Sendable, Hashable {
        /// Match the visitor's records against the criteria again, after an activation that was refused.
        case match
        /// Make an unknown user for the visitor.
        case activate(IterableMemory.Activation)
        /// Do something for a user.
        case task(IterableTask, for: IterableTurn)
        /// Send a record.
        case send(StoredIterableRecord, for: IterableTurn)
    }

    typealias Step = LinkedStep<Operation>

    /// The outcome of an operation.
    enum Answer: Sendable {
        /// The service has performed it.
        case done
        /// 409: the service has other criteria.
        case conflict(SignetError)
        /// The service will never perform it.
        case refused(SignetError)
        /// 400 or 413, without a reason of the service: it may never perform it.
        case unexplained(SignetError)
        /// The service may perform it later.
        case failed(SignetError)
        /// There is no token for that user now; the app is asked again later.
        case noToken(SignetError)
        /// There is no token for that user, and the app is not asked again.
        case tokenGivenUp(SignetError)
    }

    private(set) var memory: IterableMemory
    /// All records that count, in the order of their numbers.
    var records: [StoredIterableRecord]
    /// True while the master switch is on.
    let isEnabled: Bool
    /// The number of records of a visitor that are kept.
    let threshold: Int
    /// The number of records of a user that are kept.
    let queueLimit: Int
    /// True while the installation has opted out: nothing is kept or sent.
    ///
    /// The installation says so at each start.
    var isOptedOut = false
    /// The unknown user whom the service may have merged already: an answer was lost or not awaited.
    var uncertainMerge: String?
    var underWay: (number: Int, operation: Operation)?
    var backOff = BackOff()
    /// The reason for the last pause.
    var lastObstacle: LinkedObstacle?
    /// The users who have left and have no token.
    var tokenless = TokenlessUsers()
    /// True after an activation that the service or the disk has refused: it is tried again after the pause.
    var isMatchDue = false
    private var lastNumber = 0

    /// Restores a machine.
    ///
    /// The caller removes records that no longer count.
    init(
        restoring memory: IterableMemory,
        records: [StoredIterableRecord],
        isEnabled: Bool,
        threshold: Int,
        queueLimit: Int
    ) {
        self.memory = memory
        self.records = records.filter { memory.owns($0.ordinal) }.sorted { $0.ordinal < $1.ordinal }
        self.isEnabled = isEnabled
        self.threshold = threshold
        self.queueLimit = queueLimit
        self.uncertainMerge = memory.nextMerge
        if let last = records.map(\.ordinal).max(), last >= memory.next { self.memory.next = last + 1 }
        // A process died between the removal of a user's last record and the memory: nothing would come after their turn.
        _ = self.retireTurns()
    }

    /// The end of the pause before the next request, as uptime; nil for none.
    var pausedUntil: Duration? {
        guard let operation = self.operation, let turn = self.turn(of: operation), self.isTokenless(turn) else {
            return self.backOff.pausedUntil
        }
        return [self.backOff.pausedUntil, self.tokenless.backOff.pausedUntil].compactMap(\.self).max()
    }

    /// The visitor or user in front of the installation, and their progress.
    var state: IterableVisitor.State {
        guard let current = self.memory.current else {
            guard self.isEnabled else { return .switchedOff }
            guard self.memory.consentedAt != nil else { return .noConsent }
            return self.memory.activation == nil ? .visitor : .activating
        }
        let isBusy =
            self.areOthersBusy || !current.tasks.isEmpty || self.records.contains { current.owns($0.ordinal) }
        switch current.person {
        case .known(let id): return isBusy ? .resolving(id) : .known(id)
        case .unknown(let userID): return isBusy ? .replaying(userID: userID) : .unknown(userID: userID)
        }
    }

    /// True if the service has all that the user in front of the installation brought along.
    ///
    /// Their own records may wait.
    var isResolved: Bool {
        guard let current = self.memory.current, !self.areOthersBusy, current.tasks.isEmpty else { return false }
        return !self.records.contains { current.owns($0.ordinal) && $0.ordinal < current.born }
    }

    /// True if users who have left have work that comes before that of the user in front of the installation.
    private var areOthersBusy: Bool {
        self.memory.turns.dropLast().contains { !self.isTokenless($0) }
    }

    /// The visitor's records; empty while there is a user.
    var iterableRecords: [StoredIterableRecord] {
        guard self.memory.current == nil else { return [] }
        return self.records.filter { $0.ordinal >= self.memory.first }
    }

    /// Begins the next step.
    mutating func next(now: Duration) -> Step {
        if self.underWay != nil { return .busy }
        guard let operation = self.operation else { return .idle }
        if let pausedUntil = self.pausedUntil, pausedUntil > now { return .wait(until: pausedUntil) }
        self.lastNumber += 1
        self.underWay = (self.lastNumber, operation)
        return .perform(self.lastNumber, operation)
    }

    /// True if an operation is in flight or pending.
    var hasWork: Bool {
        self.underWay != nil || self.operation != nil
    }

    private var operation: Operation? {
        if self.isOptedOut { return nil }
        return self.unhindered ?? self.owed.hindered
    }

    /// True if the next step is work for a user, or the making of one; also while the installation has opted out.
    var owesWork: Bool {
        let owed = self.owed
        return owed.free != nil || owed.hindered != nil
    }

    /// The next work for users, in order, or the making of one; and that of the first user who has left and has no
    /// token.
    ///
    /// A user who may be the same person comes after them: Iterable may merge or rename them.
    var owed: (free: Operation?, hindered: Operation?) {
        var hindered: Operation?
        var passed: [IterableTurn] = []
        for turn in self.memory.turns {
            guard let operation = self.next(of: turn) else { continue }
            if !self.isTokenless(turn), !passed.contains(where: { $0.mayBe(turn) }) { return (operation, hindered) }
            hindered = hindered ?? operation
            passed.append(turn)
        }
        guard self.memory.current == nil, let activation = self.memory.activation else { return (nil, hindered) }
        return (.activate(activation), hindered)
    }

    private func next(of turn: IterableTurn) -> Operation? {
        if let task = turn.tasks.first { return .task(task, for: turn) }
        return self.nextRecord(of: turn).map { .send($0, for: turn) }
    }

    /// The turn of an operation as it is by now; nil if it is over, or without one.
    func turn(of operation: Operation) -> IterableTurn? {
        switch operation {
        case .match, .activate: nil
        case .task(_, let turn), .send(_, let turn): self.index(of: turn).map { self.memory.turns[$0] }
        }
    }

    /// The place of a turn, whose tasks and end may have changed.
    func index(of turn: IterableTurn) -> Int? {
        self.memory.turns.firstIndex { $0.born == turn.born && $0.id == turn.id }
    }

    /// The next record: first the visitor's, with an update of fields last, then the user's own.
    private func nextRecord(of turn: IterableTurn) -> StoredIterableRecord? {
        let own = self.records.filter { turn.owns($0.ordinal) }
        let replayed = own.prefix { $0.ordinal < turn.born }
        return replayed.first { $0.record.kind != .userUpdate } ?? replayed.first ?? own.first
    }

    /// The number of record numbers reserved at a time: this many records cost one more write.
    private static let reservation: UInt64 = 64

    /// Changes the memory; the caller must write it.
    mutating func remember(_ change: (inout IterableMemory) -> Void) {
        change(&self.memory)
        self.memory.refusals = self.refusalsOfPending
        self.memory.low = self.records.first?.ordinal ?? self.memory.next
        self.memory.reserved = self.memory.next + Self.reservation
        // On disk before it is sent: a later process cannot know if it was sent.
        self.memory.nextMerge = self.mergeToCome
        self.tokenless.keep(self.memory.turns)
    }

    /// The unknown user of the merge that is next; nil if something else is.
    var mergeToCome: String? {
        let owed = self.owed
        guard case .task(.merge(let source), _)? = owed.free ?? owed.hindered else { return nil }
        return source
    }

    /// The refusals of operations that are pending; the turn of a user who is forgotten may be followed by one of the
    /// same number.
    private var refusalsOfPending: [IterableMemory.Refusals] {
        guard !self.memory.refusals.isEmpty else { return [] }
        var operations = self.memory.activation.map { [Operation.activate($0)] } ?? []
        for turn in self.memory.turns {
            operations += turn.tasks.map { .task($0, for: turn) }
            operations += self.records.filter { turn.owns($0.ordinal) }.map { .send($0, for: turn) }
        }
        return self.memory.refusals.filter { refusals in operations.contains { $0.shares(refusals) } }
    }

    /// Gives the next record its number.
    ///
    /// - Returns: The number, and true if the memory must be written before the record.
    mutating func takeOrdinal() -> (ordinal: UInt64, isSaveDue: Bool) {
        let ordinal = self.memory.next
        let isSaveDue = ordinal >= self.memory.reserved
        self.memory.next += 1
        if isSaveDue { self.remember { _ in } }
        return (ordinal, isSaveDue)
    }

    /// Removes the turns of users who have left and have no pending work.
    ///
    /// - Returns: True if there was one.
    mutating func retireTurns() -> Bool {
        let count = self.memory.turns.count
        self.memory.turns.removeAll { turn in
            turn.end != nil && turn.tasks.isEmpty && !self.records.contains { turn.owns($0.ordinal) }
        }
        return self.memory.turns.count < count
    }

    /// Removes records that no longer belong to a visitor or user.
    ///
    /// - Returns: The actions. The memory, which excludes the records, is written before them.
    mutating func sweep(_ cause: IterableDropCause?) -> [Action] {
        let gone = self.records.filter { !self.memory.owns($0.ordinal) }.map(\.ordinal)
        guard !gone.isEmpty else { return [] }
        self.records.removeAll { !self.memory.owns($0.ordinal) }
        guard let cause else { return [.remove(gone)] }
        return [.remove(gone), .tell(.recordsDropped(gone.count, cause))]
    }
}
