// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// The events and batches of one installation that wait for delivery: first come, first served, one batch at a time.
struct InstallationQueue: Sendable {
    /// The number of the installation.
    let number: UInt32
    /// The oldest events, if any wait.
    private var front: BatchRun?
    /// The runs after it, oldest first; usually empty.
    private var later: [BatchRun] = []
    /// The ordinal of the newest session; a queue that begins in the middle of a session begins with it.
    private var session: UInt8 = 1
    /// The last event that may go without waiting any longer.
    private(set) var dueUpTo: UInt64 = 0
    /// The time at which prompt events in the queue are due.
    var promptAt: Duration?
    /// Batches that have no answer yet, oldest first; only the first of them is sent.
    var batches: [UUID] = []
    /// The bytes of all events that wait for the first user.
    private(set) var bytesWithoutUser = 0
    /// True when the machine has it on its list of due installations.
    var isListed = false

    /// Makes an empty queue.
    init(number: UInt32) {
        self.number = number
    }

    // MARK: - Looking

    /// True when no event waits and no batch is in flight.
    var isEmpty: Bool {
        self.front == nil && self.batches.isEmpty
    }

    /// The oldest waiting event.
    var first: UInt64? {
        self.front?.events.first
    }

    /// The newest waiting event.
    var last: UInt64? {
        (self.later.last ?? self.front)?.events.last
    }

    /// The oldest run.
    var run: BatchRun? {
        self.front
    }

    /// True when its oldest events wait for the first user.
    var waitsForUser: Bool {
        self.front.map { $0.key.mpid == nil } ?? false
    }

    /// True when events wait for a user, also behind others.
    var hasEventsWithoutUser: Bool {
        self.bytesWithoutUser > 0
    }

    /// The oldest event that waits for a user.
    var firstWithoutUser: UInt64? {
        self.runs.first { $0.key.mpid == nil }?.events.first
    }

    /// The number of events that wait for a user.
    var countWithoutUser: Int {
        self.runs.reduce(0) { $0 + ($1.key.mpid == nil ? $1.events.count : 0) }
    }

    /// True when events are to be cut into a batch now.
    var isDue: Bool {
        guard self.batches.isEmpty, let front = self.front, front.key.mpid != nil, let first = front.events.first else {
            return false
        }
        return first <= self.dueUpTo
    }

    /// The number of events of the newest run since its last full batch.
    var openCount: Int {
        (self.later.last ?? self.front).map { Int($0.openCount) } ?? 0
    }

    /// The bytes of the events of the newest run since its last full batch.
    var openBytes: Int {
        (self.later.last ?? self.front).map { Int($0.openBytes) } ?? 0
    }

    /// An ordinal for the session of events that are put back and whose own is not known: that of no neighbour.
    var sessionBefore: UInt8 {
        let next = self.front.map(\.key.session).flatMap { $0 == 0 ? nil : $0 } ?? self.session
        return next == 1 ? .max : next - 1
    }

    /// All runs, oldest first.
    var runs: [BatchRun] {
        self.front.map { [$0] + self.later } ?? []
    }

    // MARK: - Changing

    /// Appends the newest event.
    ///
    /// - Returns: True if it makes a batch full.
    mutating func append(_ sequence: UInt64, _ tag: EventMetadata, bytes: Int, _ limits: UploadLimits) -> Bool {
        // The number wraps around; numbers of neighbouring sessions always differ.
        if tag.place == .begin { self.session = self.session == .max ? 1 : self.session + 1 }
        let session = tag.place == .outside ? 0 : self.session
        let key = BatchRun.Key(mpid: tag.mpid, session: session, context: tag.context, own: tag.own)
        if key.mpid == nil { self.bytesWithoutUser += bytes }
        if self.front == nil { self.front = BatchRun(key, seconds: UInt32(clamping: tag.seconds)) }
        let newest = self.later.isEmpty ? self.front?.key : self.later[self.later.count - 1].key
        if newest != key {
            self.later.append(BatchRun(key, seconds: UInt32(clamping: tag.seconds)))
        }
        guard self.appendToNewest(sequence, bytes: bytes, limits) else { return false }
        self.dueUpTo = sequence
        return true
    }

    private mutating func appendToNewest(_ sequence: UInt64, bytes: Int, _ limits: UploadLimits) -> Bool {
        guard self.later.isEmpty else { return self.later[self.later.count - 1].append(sequence, bytes: bytes, limits) }
        return self.front?.append(sequence, bytes: bytes, limits) ?? false
    }

    /// Makes events due without waiting any longer.
    mutating func markDue(upTo sequence: UInt64) {
        self.dueUpTo = max(self.dueUpTo, sequence)
    }

    /// Removes the oldest events, all of them from the oldest run.
    mutating func removeFirst(_ count: Int, bytes: Int? = nil) {
        let before = self.front?.bytes ?? 0
        self.front?.removeFirst(count, bytes: bytes)
        if self.waitsForUser { self.bytesWithoutUser -= before - (self.front?.bytes ?? 0) }
        guard self.front?.events.first == nil else { return }
        self.front = self.later.isEmpty ? nil : self.later.removeFirst()
        if self.front == nil { self.promptAt = nil }
    }

    /// Sets the time in seconds that no event of the oldest run precedes.
    mutating func setSeconds(_ seconds: UInt32) {
        self.front?.seconds = seconds
    }

    /// Attributes anonymous events to their user, and joins adjacent runs with equal keys.
    ///
    /// - Parameters:
    ///   - mpid: The user; nil removes the events: their user was erased.
    ///   - limit: The last event to attribute.
    ///   - limits: The limits that make a batch full.
    /// - Returns: The number of attributed or removed events.
    mutating func attribute(to mpid: MPID?, upTo limit: UInt64 = .max, _ limits: UploadLimits) -> Int {
        var count = 0
        var runs: [BatchRun] = []
        for var run in self.runs {
            guard run.key.mpid == nil else {
                runs.append(run)
                continue
            }
            var own = run.removeEvents(upTo: limit, limits)
            count += own.events.count
            own.key.mpid = mpid
            if mpid != nil, own.events.count > 0 { runs.append(own) }
            if run.events.count > 0 { runs.append(run) }
        }
        self.join(runs)
        for run in self.runs where run.isFull(limits) { self.markDue(upTo: run.events.last ?? 0) }
        return count
    }

    /// Removes some events that wait for a user.
    ///
    /// - Returns: The number of removed events.
    mutating func remove(anonymous sequences: Set<UInt64>) -> Int {
        var count = 0
        let runs = self.runs.compactMap { run -> BatchRun? in
            guard run.key.mpid == nil else { return run }
            var left = run
            count += left.remove(sequences)
            return left.events.count > 0 ? left : nil
        }
        self.join(runs)
        return count
    }

    /// Puts the oldest events back before all others; they are due.
    mutating func putBack(_ plan: UploadStateMachine.BatchPlan, bytes: Int, _ limits: UploadLimits) {
        let key = BatchRun.Key(mpid: plan.mpid, session: plan.session, context: plan.context, own: plan.own)
        var run = BatchRun(key, seconds: plan.seconds)
        let share = bytes / max(1, plan.sequences.count)
        for sequence in plan.sequences { _ = run.append(sequence, bytes: share, limits) }
        self.join([run] + self.runs)
        self.markDue(upTo: plan.sequences.last ?? 0)
    }

    /// Removes all events of a user.
    mutating func remove(_ mpid: MPID) {
        self.join(self.runs.filter { $0.key.mpid != mpid })
    }

    /// Keeps only these runs; adjacent runs with equal keys become one.
    private mutating func join(_ runs: [BatchRun]) {
        var joined: [BatchRun] = []
        for run in runs {
            if joined.last?.key == run.key {
                joined[joined.count - 1].append(run)
            } else {
                joined.append(run)
            }
        }
        self.bytesWithoutUser = joined.reduce(0) { $0 + ($1.key.mpid == nil ? $1.bytes : 0) }
        self.front = joined.first
        self.later = Array(joined.dropFirst())
        if self.front == nil { self.promptAt = nil }
    }
}
