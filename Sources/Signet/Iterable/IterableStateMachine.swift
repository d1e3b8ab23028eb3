//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetCriteria

/// Why criteria are fetched.
enum CriteriaOccasion: Sendable, Hashable {
    /// The app was launched, or a visitor has agreed or come.
    case beginning
    /// The app came to the foreground.
    case foreground
    /// The service has others.
    case conflict
}

/// Decides what becomes of a visitor: what is stored, when an unknown user is made, and what is sent for whom, in order.
///
/// It holds what is on disk, and what is not: which request is under way, and how long to wait for the next.
struct IterableStateMachine: Sendable {
    /// What is to be done about a decision, in this order: a kill between any two leaves what the next start understands.
    enum Action: Sendable {
        /// Write the memory down.
        case save
        /// Write a record down.
        case store(StoredIterableRecord)
        /// Remove records that count no longer.
        case remove([UInt64])
        /// Tell whoever listens.
        case tell(IterableChange.Kind)
        /// Hold the visitor's records against the criteria anew.
        case reevaluate
        /// Hold one more record of the visitor against the criteria.
        case evaluate(IterableRecord)
        /// Fetch the criteria.
        case fetchCriteria(CriteriaOccasion)
        /// Nothing is the old user's any more: so is no token.
        case forgetToken
    }

    /// One thing that is done outside.
    enum Operation: Sendable, Hashable {
        /// Make an unknown user for the visitor.
        case activate(IterableMemory.Activation)
        /// Do something for a user.
        case task(IterableTask, for: IterableTurn)
        /// Tell what happened.
        case send(StoredIterableRecord, for: IterableTurn)
    }

    /// What is next.
    enum Step: Sendable, Hashable {
        /// Do that, and say how it ended with `finish` of the number.
        case perform(Int, Operation)
        /// Wait for that uptime, or for updates.
        case wait(until: Duration)
        /// There is nothing to do.
        case idle
        /// Something is under way.
        case busy
    }

    /// How an operation ended.
    enum Answer: Sendable {
        /// The service has done it.
        case done
        /// 409: the criteria are not those of the service any more.
        case conflict(SignetError)
        /// The service never will.
        case refused(SignetError)
        /// It may later.
        case failed(SignetError)
        /// There is no token for that user, and the app is to be asked again later.
        case noToken(SignetError)
    }

    private(set) var memory: IterableMemory
    /// All records that count, in the order of their numbers.
    var records: [StoredIterableRecord]
    /// Whether the master switch is on.
    let isEnabled: Bool
    /// How many records of a visitor are kept.
    let threshold: Int
    /// How many records of a user are kept.
    let queueLimit: Int
    /// Whether the installation has opted out, which it says itself at each start: nothing is kept or told meanwhile.
    var isOptedOut = false
    /// The unknown user whom the service may have merged already: an answer was lost, or not waited for.
    var uncertainMerge: String?
    var underWay: (number: Int, operation: Operation)?
    var failures = 0
    var pausedUntil: Duration?
    private var lastNumber = 0

    /// Restores a machine; records that count no longer are left to the caller.
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
    }

    /// Whose turn it is.
    var state: IterableState {
        guard let current = self.memory.current else {
            guard self.isEnabled else { return .switchedOff }
            guard self.memory.consentedAt != nil else { return .noConsent }
            return self.memory.activation == nil ? .visitor : .activating
        }
        let isBusy =
            self.memory.turns.count > 1 || !current.tasks.isEmpty || self.records.contains { current.owns($0.ordinal) }
        if current.isKnown { return isBusy ? .resolving(current.id) : .known(current.id) }
        return isBusy ? .replaying(userID: current.id.text) : .unknown(userID: current.id.text)
    }

    /// What the visitor did; empty while there is a user.
    var iterableRecords: [StoredIterableRecord] {
        guard self.memory.current == nil else { return [] }
        return self.records.filter { $0.ordinal >= self.memory.first }
    }

    /// What is to be done now.
    mutating func next(now: Duration) -> Step {
        if self.underWay != nil { return .busy }
        guard let operation = self.operation else { return .idle }
        if let pausedUntil, pausedUntil > now { return .wait(until: pausedUntil) }
        self.lastNumber += 1
        self.underWay = (self.lastNumber, operation)
        return .perform(self.lastNumber, operation)
    }

    /// Whether anything is to be done.
    var hasWork: Bool {
        self.underWay != nil || self.operation != nil
    }

    private var operation: Operation? {
        if self.isOptedOut { return nil }
        if let turn = self.memory.turns.first {
            if let task = turn.tasks.first { return .task(task, for: turn) }
            if let record = self.nextRecord(of: turn) { return .send(record, for: turn) }
        }
        guard self.memory.current == nil, let activation = self.memory.activation else { return nil }
        return .activate(activation)
    }

    /// What was of the visitor goes first, an update of fields last of that; then what the user did.
    private func nextRecord(of turn: IterableTurn) -> StoredIterableRecord? {
        let own = self.records.filter { turn.owns($0.ordinal) }
        let replayed = own.prefix { $0.ordinal < turn.born }
        return replayed.first { $0.record.kind != .userUpdate } ?? replayed.first ?? own.first
    }

    /// How many numbers are reserved at a time: so many records cost one more write.
    private static let reservation: UInt64 = 64

    /// Changes the memory, which is to be written then.
    mutating func remember(_ change: (inout IterableMemory) -> Void) {
        change(&self.memory)
        self.memory.low = self.records.first?.ordinal ?? self.memory.next
        self.memory.reserved = self.memory.next + Self.reservation
        // On disk before it is sent: a later process cannot know whether it was.
        self.memory.nextMerge = nil
        if case .merge(let source)? = self.memory.turns.first?.tasks.first { self.memory.nextMerge = source }
    }

    /// Gives the next record its number.
    ///
    /// - Returns: The number, and whether the memory is to be written before the record.
    mutating func takeOrdinal() -> (ordinal: UInt64, isSaveDue: Bool) {
        let ordinal = self.memory.next
        let isSaveDue = ordinal >= self.memory.reserved
        self.memory.next += 1
        if isSaveDue { self.remember { _ in } }
        return (ordinal, isSaveDue)
    }

    /// Takes users off whom nothing is to be done for any more, and who have gone.
    ///
    /// - Returns: Whether there was one.
    mutating func retireTurns() -> Bool {
        var isChanged = false
        while let turn = self.memory.turns.first, turn.end != nil, turn.tasks.isEmpty,
            !self.records.contains(where: { turn.owns($0.ordinal) })
        {
            self.memory.turns.removeFirst()
            isChanged = true
        }
        return isChanged
    }

    /// Lets go of records that belong to nobody any more.
    ///
    /// - Returns: What to do about it: the memory, which says so, is written before.
    mutating func sweep(_ cause: IterableDropCause?) -> [Action] {
        let gone = self.records.filter { !self.memory.owns($0.ordinal) }.map(\.ordinal)
        guard !gone.isEmpty else { return [] }
        self.records.removeAll { !self.memory.owns($0.ordinal) }
        guard let cause else { return [.remove(gone)] }
        return [.remove(gone), .tell(.recordsDropped(gone.count, cause))]
    }
}
