//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

import struct FoundationEssentials.UUID

/// Decides which events go into which batch, and which batches go out when.
///
/// Knows events by number and size only. What waits on one installation is one line, in the order of the journal: a batch is
/// cut from its front, and the next one only after the answer to it. So no installation holds up another, and none
/// overtakes itself.
struct UploadStateMachine: Sendable {
    /// Events of which a batch is to be made.
    struct BatchPlan: Sendable, Hashable {
        /// The number of the installation.
        let installation: UInt32
        /// Whose events.
        let mpid: MPID
        /// The number of what the configuration said of them.
        let context: UInt16
        /// The number of what was said of the installation.
        let own: UInt32
        /// The oldest ones, ascending; not more than a batch may have.
        let sequences: [UInt64]
    }

    /// Batches that go out together.
    struct Request: Sendable, Hashable {
        /// Tells it from others.
        let number: Int
        /// Oldest first.
        let batches: [UUID]
    }

    /// What to do next.
    enum Action: Sendable, Hashable {
        /// Make a batch of as many of these events as fit, write it down, and say so with `cut`.
        case cut(BatchPlan)
        /// Send this, and say how it ended with `finished`.
        case send(Request)
        /// Wait for updates, or until this uptime.
        case wait(until: Duration?)
    }

    /// How a try ended.
    enum Result: Sendable, Hashable {
        /// The platform has taken the batches, or refused them for good and they were set aside: the events are settled.
        case settled
        /// The platform refused one of several, and did not say which: each goes alone.
        case apart
        /// It must be tried again, no sooner than after this pause, and nothing else before that either.
        case postponed(Duration, UploadPause.Reason)
    }

    struct Batch: Sendable {
        let installation: UInt32
        let mpid: MPID?
        /// Its oldest event; 0 for what is sent again after it was set aside.
        let first: UInt64
        let events: Int
        /// The bytes of its body.
        let bytes: Int
        /// Batches keep the order in which they came.
        let order: Int
        /// How often it has failed alone, as far as that says something.
        var failures = 0
        /// One that alone makes the platform fail must not be the only one that is ever tried: it waits by itself.
        var isStuck: Bool { self.failures > 1 }
        /// How long after the pause, unless there is nothing else to try.
        var rest: Duration { min(.seconds(60) * (self.failures - 1), .seconds(300)) }
        /// Whether it shares no request.
        var isAlone = false
    }

    private(set) var limits: UploadLimits
    var lines = InstallationQueues()
    /// Installations to cut from now, first come first served; lines know whether they are on it.
    var due = Deque<UInt32>()
    var prompt = DeadlineQueue<UInt32>()
    var batches: [UUID: Batch] = [:]
    /// Batches to send, in their order; one an installation.
    var ready: [UUID] = []
    /// Batches that have failed alone, and when they are tried again.
    private var stuck = DeadlineQueue<UUID>()
    var requests: [Int: Request] = [:]
    var rate: RateLimiter
    var pausedUntil: Duration?
    /// Why the last pause was, or is.
    var pauseReason: UploadPause.Reason?
    /// Tries in a row that failed: after one, the oldest batch goes alone, as a probe.
    var failures = 0
    var goals = UploadGoals()
    var nextInterval: Duration
    private var nextOrder = 0
    private var nextRequest = 0
    /// Events that wait for a first user.
    var orphanCount = 0
    /// Installations whose events of nobody are followed by some of a user.
    var disputed: [UInt32] = []
    /// Events that were given up, to be taken out of the journal.
    var dropped: [UInt64] = []
    /// Where they were logged.
    var droppedOf: Set<UInt32> = []
    /// Users who are being erased, each with the last event that this is about: no batch of theirs is made or sent again.
    var forgotten: [MPID: UInt64] = [:]
    /// Batches of erased users that are still on the wire, with their installations: these send nothing until then.
    var abandoned: [UUID: UInt32] = [:]

    init(limits: UploadLimits, now: Duration) {
        self.limits = limits
        self.nextInterval = now + limits.interval
        self.rate = RateLimiter(rate: limits.batchesPerSecond, now: now)
    }

    // MARK: - Going out

    /// What to do now.
    ///
    /// Ask again after each answer, until it says to wait.
    mutating func next(now: Duration) -> Action {
        if let pausedUntil, pausedUntil > now { return .wait(until: pausedUntil) }
        self.pausedUntil = nil
        self.collectDue(now: now)
        while let id = self.stuck.popDue(at: now) { self.makeReady(id) }
        guard self.requests.count < self.maximumRequests else { return .wait(until: nil) }
        let allowed = min(self.rate.available(now: now), self.isProbing ? 1 : self.limits.batchesPerRequest)
        if self.wantsMoreBatches(allowed), let cut = self.nextCut() { return .cut(cut) }
        // Nothing else can tell whether the platform is back.
        while self.ready.isEmpty, self.isProbing, let id = self.stuck.popFirst() { self.makeReady(id) }
        guard !self.ready.isEmpty else { return .wait(until: self.nextDeadline) }
        guard allowed > 0 else { return .wait(until: self.rate.next(now: now)) }
        return .send(self.takeRequest(allowed))
    }

    /// A batch was made and written down.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - cut: What it was made of.
    ///   - count: How many of those events it has, or has left out because they are gone: the first ones.
    ///   - bytes: The bytes of these events, with a comma each.
    ///   - size: The bytes of its body.
    mutating func cut(_ id: UUID, of cut: BatchPlan, count: Int, bytes: Int, size: Int) {
        guard let slot = self.lines.find(cut.installation) else { return }
        self.lines[slot].removeFirst(count, bytes: bytes)
        self.insert(
            id,
            Batch(
                installation: cut.installation,
                mpid: cut.mpid,
                first: cut.sequences.first ?? 0,
                events: count,
                bytes: size,
                order: self.nextOrder
            )
        )
        self.changed(slot)
    }

    /// Events are not to be sent: they are gone, or the app dropped them.
    mutating func skip(_ cut: BatchPlan, count: Int, bytes: Int? = nil) {
        self.removeFirst(count, bytes: bytes, of: cut.installation)
    }

    /// A batch that was written down before is to be sent.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - installation: The number of the installation.
    ///   - mpid: Whose events.
    ///   - first: Its oldest event; 0 for one that was set aside.
    ///   - events: How many it has.
    ///   - size: The bytes of its body.
    mutating func restore(_ id: UUID, of installation: UInt32, _ mpid: MPID?, first: UInt64, events: Int, size: Int) {
        guard !self.isForgotten(mpid, first) else { return }
        let batch = Batch(
            installation: installation,
            mpid: mpid,
            first: first,
            events: events,
            bytes: size,
            order: self.nextOrder
        )
        self.insert(id, batch)
        self.changed(self.lines.slot(of: installation))
    }

    /// A try has ended.
    mutating func finished(_ number: Int, _ result: Result, now: Duration) {
        guard let request = self.requests.removeValue(forKey: number) else { return }
        if result != .settled { self.dropForgotten(request.batches) }
        self.endAbandoned(request.batches)
        switch result {
        case .settled:
            self.failures = 0
            for id in request.batches { self.settle(id) }
        case .apart:
            self.failures = 0
            for id in request.batches {
                self.batches[id]?.isAlone = true
                self.makeReady(id)
            }
        case .postponed(let pause, let reason):
            for id in request.batches where self.batches[id] != nil {
                if reason == .failure { self.batches[id]?.failures += 1 }
                if let batch = self.batches[id], batch.isStuck {
                    self.stuck.insert(id, at: now + pause + batch.rest)
                } else {
                    self.makeReady(id)
                }
            }
            self.pause(until: now + pause, reason)
        }
    }

    /// A try has failed.
    ///
    /// - Returns: How many have failed in a row, this one included. Those that were under way when the first of them
    ///   failed count as one with it: they say the same of the platform.
    mutating func countFailure(now: Duration) -> Int {
        let isPaused = self.pausedUntil.map { $0 > now } ?? false
        if !isPaused || self.failures == 0 { self.failures += 1 }
        return self.failures
    }

    /// Nothing goes out before this; of several pauses the longest counts.
    mutating func pause(until: Duration, _ reason: UploadPause.Reason) {
        if let pausedUntil, pausedUntil >= until { return }
        self.pausedUntil = until
        self.pauseReason = reason
    }

    /// Whether there is a pause.
    func isPaused(now: Duration) -> Bool {
        self.pausedUntil.map { $0 > now } ?? false
    }

    /// Ends a pause, but not one that the platform asked for.
    mutating func resume() {
        guard self.pauseReason != .asked else { return }
        self.pausedUntil = nil
        while let id = self.stuck.popFirst() { self.makeReady(id) }
    }

    /// Changes how long events wait for company; the wait that goes on counts from its begin.
    mutating func setInterval(_ interval: Duration) {
        guard interval != self.limits.interval else { return }
        self.nextInterval += interval - self.limits.interval
        self.limits.interval = interval
    }

    // MARK: - Private

    /// The oldest batch goes first, alone, until the platform takes one again.
    private var isProbing: Bool {
        self.failures > 0
    }

    private var maximumRequests: Int {
        self.isProbing ? 1 : self.limits.inFlight
    }

    private var nextDeadline: Duration {
        [self.prompt.first, self.stuck.first].reduce(self.nextInterval) { min($0, $1 ?? $0) }
    }

    private mutating func insert(_ id: UUID, _ batch: Batch) {
        self.nextOrder += 1
        self.batches[id] = batch
        let slot = self.lines.slot(of: batch.installation)
        self.lines[slot].batches.append(id)
        if self.lines[slot].batches.count == 1 { self.makeNextReady(slot) }
    }

    /// Has the oldest batch of an installation sent, unless one of it is on the wire that was given up.
    mutating func makeNextReady(_ slot: Int) {
        guard let next = self.lines[slot].batches.first else { return }
        guard self.abandoned.isEmpty || !self.abandoned.values.contains(self.lines[slot].number) else { return }
        self.makeReady(next)
    }

    /// Puts a batch where its order wants it.
    mutating func makeReady(_ id: UUID) {
        guard let order = self.batches[id]?.order else { return }
        let place = self.ready.lastIndex { (self.batches[$0]?.order ?? 0) < order }.map { $0 + 1 } ?? 0
        self.ready.insert(id, at: place)
    }

    private mutating func settle(_ id: UUID) {
        guard let batch = self.batches.removeValue(forKey: id), let slot = self.lines.find(batch.installation) else {
            return
        }
        self.lines[slot].batches.removeAll { $0 == id }
        self.makeNextReady(slot)
        self.changed(slot)
    }

    private mutating func collectDue(now: Duration) {
        while let number = self.prompt.popDue(at: now) {
            guard let slot = self.lines.find(number), let promptAt = self.lines[slot].promptAt, promptAt <= now else {
                continue
            }
            self.lines[slot].promptAt = nil
            self.lines[slot].markDue(upTo: self.lines[slot].last ?? 0)
            self.list(slot)
        }
        guard self.nextInterval <= now else { return }
        // After a long sleep one upload is enough: the missed ones are not made up for.
        self.nextInterval = now + self.limits.interval
        for slot in self.lines.used {
            self.lines[slot].markDue(upTo: self.lines[slot].last ?? 0)
            self.list(slot)
        }
    }

    /// Whether another batch is to be cut before the next request: several share one.
    private func wantsMoreBatches(_ allowed: Int) -> Bool {
        guard self.ready.count < max(1, allowed) else { return false }
        guard let first = self.ready.first else { return true }
        guard self.limits.batchesPerRequest > 1, self.batches[first]?.isAlone == false else { return false }
        return self.fitting(allowed) == self.ready.count
    }

    /// How many of the first batches share the next request.
    private func fitting(_ allowed: Int) -> Int {
        guard let first = self.ready.first else { return 0 }
        guard self.batches[first]?.isAlone == false else { return 1 }
        // Brackets around, a comma between.
        var bytes = 1
        var count = 0
        for id in self.ready.prefix(allowed) {
            guard let batch = self.batches[id], !batch.isAlone else { break }
            bytes += batch.bytes + 1
            guard bytes <= self.limits.maximumRequestBytes || count == 0 else { break }
            count += 1
        }
        return count
    }

    private mutating func takeRequest(_ allowed: Int) -> Request {
        let count = self.fitting(allowed)
        let request = Request(number: self.nextRequest, batches: Array(self.ready.prefix(count)))
        self.nextRequest += 1
        self.ready.removeFirst(count)
        self.requests[request.number] = request
        self.rate.take(count)
        return request
    }

    private mutating func nextCut() -> BatchPlan? {
        while let number = self.due.popFirst() {
            guard let slot = self.lines.find(number) else { continue }
            self.lines[slot].isListed = false
            guard self.lines[slot].isDue, let run = self.lines[slot].run, let mpid = run.key.mpid else { continue }
            // It stays on the list until something was made of it: a cut that fails is asked for again.
            self.list(slot)
            return BatchPlan(
                installation: number,
                mpid: mpid,
                context: run.key.context,
                own: run.key.own,
                sequences: run.events.prefix(self.limits.events)
            )
        }
        return nil
    }
}
