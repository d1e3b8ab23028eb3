//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

import struct FoundationEssentials.UUID

/// What waits for delivery on one installation: first come, first served, one batch at a time.
struct InstallationQueue: Sendable {
    /// The number of the installation.
    let number: UInt32
    /// The oldest events, if any wait.
    private var front: BatchRun?
    /// The runs after it, oldest first; mostly there is none.
    private var later: [BatchRun] = []
    /// The number of the newest session; a line that begins in the middle of one begins with it.
    private var session: UInt8 = 1
    /// Events up to this one are to go without waiting any longer.
    private(set) var dueUpTo: UInt64 = 0
    /// When prompt events among them are due.
    var promptAt: Duration?
    /// Batches that have no answer yet, oldest first; only the first of them is sent.
    var batches: [UUID] = []
    /// The bytes of all events that wait for the first user.
    private(set) var bytesWithoutUser = 0
    /// Whether the machine has it on its list of those that are due.
    var isListed = false

    /// Makes an empty line.
    init(number: UInt32) {
        self.number = number
    }

    // MARK: - Looking

    /// Whether nothing waits and nothing is under way.
    var isEmpty: Bool {
        self.front == nil && self.batches.isEmpty
    }

    /// The oldest event that waits.
    var first: UInt64? {
        self.front?.events.first
    }

    /// The newest event that waits.
    var last: UInt64? {
        (self.later.last ?? self.front)?.events.last
    }

    /// The oldest run.
    var run: BatchRun? {
        self.front
    }

    /// Whether its oldest events wait for the first user.
    var waitsForUser: Bool {
        self.front.map { $0.key.mpid == nil } ?? false
    }

    /// Whether events wait for a user, also behind others.
    var hasEventsWithoutUser: Bool {
        self.bytesWithoutUser > 0
    }

    /// Whether events are to be cut into a batch now.
    var isDue: Bool {
        guard self.batches.isEmpty, let front = self.front, front.key.mpid != nil, let first = front.events.first else {
            return false
        }
        return first <= self.dueUpTo
    }

    /// Events of the newest run since a batch was full.
    var openCount: Int {
        (self.later.last ?? self.front).map { Int($0.openCount) } ?? 0
    }

    /// Bytes of the newest run since a batch was full.
    var openBytes: Int {
        (self.later.last ?? self.front).map { Int($0.openBytes) } ?? 0
    }

    /// All runs, oldest first.
    var runs: [BatchRun] {
        self.front.map { [$0] + self.later } ?? []
    }

    // MARK: - Changing

    /// Adds the newest event.
    ///
    /// - Returns: Whether a batch became full by it.
    mutating func append(_ sequence: UInt64, _ tag: EventMetadata, bytes: Int, _ limits: UploadLimits) -> Bool {
        // Many are under way at most, neighbours differ always.
        if tag.place == .begin { self.session = self.session == .max ? 1 : self.session + 1 }
        let session = tag.place == .outside ? 0 : self.session
        let key = BatchRun.Key(mpid: tag.mpid, session: session, context: tag.context, own: tag.own)
        let isFull: Bool
        if self.later.isEmpty {
            if self.front == nil { self.front = BatchRun(key, seconds: UInt32(clamping: tag.seconds)) }
            if self.front?.key == key {
                isFull = self.front?.append(sequence, bytes: bytes, limits) ?? false
            } else {
                self.later.append(BatchRun(key, seconds: UInt32(clamping: tag.seconds)))
                isFull = self.later[0].append(sequence, bytes: bytes, limits)
            }
        } else {
            if self.later[self.later.count - 1].key != key {
                self.later.append(BatchRun(key, seconds: UInt32(clamping: tag.seconds)))
            }
            isFull = self.later[self.later.count - 1].append(sequence, bytes: bytes, limits)
        }
        if key.mpid == nil { self.bytesWithoutUser += bytes }
        if isFull { self.dueUpTo = sequence }
        return isFull
    }

    /// Lets events go without waiting any longer.
    mutating func markDue(upTo sequence: UInt64) {
        self.dueUpTo = max(self.dueUpTo, sequence)
    }

    /// Takes the oldest events off, which all are of the oldest run.
    mutating func removeFirst(_ count: Int, bytes: Int? = nil) {
        let before = self.front?.bytes ?? 0
        self.front?.removeFirst(count, bytes: bytes)
        if self.waitsForUser { self.bytesWithoutUser -= before - (self.front?.bytes ?? 0) }
        guard self.front?.events.first == nil else { return }
        self.front = self.later.isEmpty ? nil : self.later.removeFirst()
        if self.front == nil { self.promptAt = nil }
    }

    /// Says that no event of the oldest run is older.
    mutating func setSeconds(_ seconds: UInt32) {
        self.front?.seconds = seconds
    }

    /// Gives what was logged for nobody to its user, and joins runs that are of one kind then.
    ///
    /// - Parameters:
    ///   - mpid: The user; nil takes the events off: their user was erased.
    ///   - limit: Only events up to this one.
    ///   - limits: When a batch is full.
    /// - Returns: How many events they were.
    mutating func adopt(by mpid: MPID?, upTo limit: UInt64 = .max, _ limits: UploadLimits) -> Int {
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

    /// Takes all events of a user off.
    mutating func remove(_ mpid: MPID) {
        self.join(self.runs.filter { $0.key.mpid != mpid })
    }

    /// Keeps these runs and no others; neighbours of one kind become one.
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
