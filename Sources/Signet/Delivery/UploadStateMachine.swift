// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// Decides which events go into which batch, and which batches go out when.
///
/// It knows events by number and size only. Each installation has one queue, in the order of the journal. A batch is
/// cut from its front, and the next one only after the answer to it. So no installation delays another, and none
/// overtakes itself.
struct UploadStateMachine: Sendable {
    /// The events for the next batch.
    struct BatchPlan: Sendable, Hashable {
        /// The number of the installation.
        let installation: UInt32
        /// The MPID of the user of the events.
        let mpid: MPID
        /// The ordinal of the session in the queue; see ``BatchRun/Key``.
        let session: UInt8
        /// The number of the configuration's context.
        let context: UInt16
        /// The number of the installation's context.
        let own: UInt32
        /// The time that none of the events precedes, in seconds since 1970.
        let seconds: UInt32
        /// The oldest events, ascending; not more than a batch may have.
        private(set) var sequences: [UInt64]

        /// The plan of its events up to this one.
        func limited(to last: UInt64) -> BatchPlan {
            var plan = self
            plan.sequences = Array(self.sequences.prefix { $0 <= last })
            return plan
        }
    }

    /// Batches that are sent together.
    struct Request: Sendable, Hashable {
        /// The number of the request, unique in this process.
        let number: Int
        /// Oldest first.
        let batches: [UUID]
    }

    /// The next action.
    enum Action: Sendable, Hashable {
        /// Make a batch of as many of these events as fit, write it down, and report it with `cut`.
        case cut(BatchPlan)
        /// Send this request, and report its end with `finished`.
        case send(Request)
        /// Wait for updates, or until this uptime; nil has no deadline.
        case wait(until: Duration?)
    }

    /// The result of a try.
    enum Result: Sendable, Hashable {
        /// The platform accepted the batches: the events are settled.
        case settled
        /// The platform refused the batches for good, and they are dead letters: the events are settled.
        case refused
        /// One of several batches was refused, without a word which, or one was halved: each goes alone, at once.
        ///
        /// The failures in a row still count if the refusal may be from something other than the platform.
        case apart(isOfPlatform: Bool)
        /// The batches must be tried again; nothing is sent before the end of this pause.
        case postponed(Duration, UploadPause.Reason)
        /// The batches must be tried again; the setback says who waits for this pause.
        case failed(Setback, pause: Duration, UploadPause.Reason)
        /// The only batch is given up: its events are settled, and the platform has said nothing.
        case givenUp
    }

    /// The requests, one at a time, after which a batch that has failed alone has its turn.
    private static let requestsBetweenStuck = 8

    private(set) var limits: UploadLimits
    var lines = InstallationQueues()
    /// Installations to cut from now, first come first served; their queues know whether they are listed.
    var due = Deque<UInt32>()
    var prompt = DeadlineQueue<UInt32>()
    var aside = InstallationsSetAside()
    var batches: [UUID: QueuedBatch] = [:]
    var ready: ReadyBatches
    /// Batches that have failed alone, which never go before others that may tell more.
    var stuck: StuckBatches
    /// A pause of the batches that have failed before; all others go on.
    var stuckPause: (until: Duration, reason: UploadPause.Reason)?
    var refusedBatches = RefusedBatches()
    var requests = UploadRequests()
    var rate: RateLimiter
    var pausedUntil: Duration?
    /// The reason of the current or the last pause.
    var pauseReason: UploadPause.Reason?
    /// Tries in a row that failed: after one, a single batch goes as a probe.
    var failures = 0
    /// Those of them that may be due to the way, and not to their batch: see ``Setback``.
    var failuresOfAll = 0
    var goals = UploadGoals()
    var nextInterval: Duration
    private var nextOrder = 0
    private var requestsSinceStuck = 0
    /// The number of events that wait for a first user.
    var anonymousCount = 0
    /// Installations whose anonymous events are followed by events of a user.
    var disputed: [UInt32] = []
    /// Events that were given up, to be removed from the journal.
    var dropped: [UInt64] = []
    /// The installations that logged them.
    var droppedOf: Set<UInt32> = []
    /// Users who are being erased, each with the last erased event: no batch of theirs is made or sent again.
    var forgotten: [MPID: UInt64] = [:]
    /// Batches of erased users that are still on the wire, with their installations, which send nothing until then.
    var abandoned: [UUID: UInt32] = [:]

    init(limits: UploadLimits, now: Duration) {
        self.limits = limits
        self.ready = ReadyBatches(limits)
        self.stuck = StuckBatches(limits)
        self.nextInterval = now + limits.interval
        self.rate = RateLimiter(rate: limits.batchesPerSecond, now: now)
    }

    // MARK: - Going out

    /// Returns the next action.
    ///
    /// Call it again after each action, until it says to wait.
    mutating func next(now: Duration) -> Action {
        if let pausedUntil, pausedUntil > now { return .wait(until: pausedUntil) }
        self.pausedUntil = nil
        self.collectDue(now: now)
        self.stuck.collectDue(at: now, self.batches)
        guard self.requests.count < self.limits.inFlight, !self.isProbeOnWire else { return .wait(until: nil) }
        let available = self.rate.available(now: now)
        // One slot of several, or some turns of the only one, so that a queue that is never empty does not keep them
        // out.
        let isTheirTurn = self.limits.inFlight > 1 || self.requestsSinceStuck >= Self.requestsBetweenStuck
        if isTheirTurn, !self.isProbing, available > 0, let id = self.nextStuck(now: now) {
            return .send(self.take([id]))
        }
        let allowed = min(available, self.isProbing ? 1 : self.limits.batchesPerRequest)
        if self.ready.wantsMore(allowed), let cut = self.nextCut() { return .cut(cut) }
        guard self.ready.isEmpty else {
            guard allowed > 0 else { return .wait(until: self.rate.next(now: now)) }
            return .send(self.take(self.ready.takeFirst(allowed)))
        }
        guard available > 0 else { return .wait(until: self.rate.next(now: now)) }
        guard let id = self.nextStuck(now: now) else { return .wait(until: self.nextDeadline(now: now)) }
        return .send(self.take([id]))
    }

    /// Records that a batch was made and written down.
    ///
    /// - Parameters:
    ///   - id: The id of the batch.
    ///   - cut: The plan of the batch.
    ///   - count: The number of planned events that it contains or has left out because they are gone, from the first
    ///     on.
    ///   - bytes: The bytes of these events, with a comma each.
    ///   - size: The bytes of its body.
    mutating func cut(_ id: UUID, of cut: BatchPlan, count: Int, bytes: Int, size: Int) {
        guard let slot = self.lines.find(cut.installation) else { return }
        self.lines[slot].removeFirst(count, bytes: bytes)
        self.insert(
            id,
            QueuedBatch(
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

    /// Skips events that are not to be sent: they are gone, or the app dropped them.
    mutating func skip(_ cut: BatchPlan, count: Int, bytes: Int? = nil) {
        self.removeFirst(count, bytes: bytes, of: cut.installation)
    }

    /// Restores a batch that was written down before, to be sent.
    ///
    /// - Parameters:
    ///   - id: The id of the batch.
    ///   - installation: The number of the installation.
    ///   - mpid: The MPID of the user of the events.
    ///   - first: Its oldest event; 0 for a former dead letter.
    ///   - events: The number of its events.
    ///   - size: The bytes of its body.
    ///   - hasFailed: True if it has failed alone before, as its record says.
    mutating func restore(
        _ id: UUID,
        of installation: UInt32,
        _ mpid: MPID?,
        first: UInt64,
        events: Int,
        size: Int,
        hasFailed: Bool = false
    ) {
        guard !self.isForgotten(mpid, first) else { return }
        let batch = QueuedBatch(
            installation: installation,
            mpid: mpid,
            first: first,
            events: events,
            bytes: size,
            order: self.nextOrder,
            failures: hasFailed ? 1 : 0,
            mayBeTaken: true
        )
        self.insert(id, batch)
        self.changed(self.lines.slot(of: installation))
    }

    /// Records the end of a try.
    mutating func finished(_ number: Int, _ result: Result, now: Duration) {
        guard let request = self.requests.end(number) else { return }
        let isAnswered = result == .settled || result == .refused
        if !isAnswered { self.dropForgotten(request.batches) }
        self.endAbandoned(request.batches)
        switch result {
        case .settled, .refused:
            // Others may have failed for the same reason, which is over.
            let isOver = self.isProbing || request.batches.contains { self.batches[$0]?.hasFailed == true }
            for id in request.batches { self.settle(id, isAccepted: result == .settled) }
            self.endFailures()
            if isOver { self.stuck.endRests(self.batches) }
        case .givenUp:
            for id in request.batches { self.settle(id) }
        case .apart(let isOfPlatform):
            if isOfPlatform { self.endFailures() }
            for id in request.batches {
                self.batches[id]?.isAlone = true
                self.makeReady(id)
            }
        case .postponed(let pause, let reason):
            for id in request.batches { self.makeReady(id) }
            self.pause(until: now + pause, reason)
        case .failed(let setback, let pause, let reason):
            self.setBack(request, setback, pause, reason, now: now)
        }
    }

    /// Pauses uploads until a time; of several pauses the longest counts.
    mutating func pause(until: Duration, _ reason: UploadPause.Reason) {
        if let pausedUntil, pausedUntil >= until { return }
        self.pausedUntil = until
        self.pauseReason = reason
    }

    /// Returns true during a pause.
    func isPaused(now: Duration) -> Bool {
        self.pausedUntil.map { $0 > now } ?? false
    }

    /// Ends any pause: an operator says that the cause was mended.
    mutating func resume() {
        self.pausedUntil = nil
        self.stuckPause = nil
        self.stuck.endRests(self.batches)
    }

    /// Changes the upload interval; the current wait counts from its begin.
    mutating func setInterval(_ interval: Duration) {
        guard interval != self.limits.interval else { return }
        self.nextInterval += interval - self.limits.interval
        self.limits.interval = interval
    }

    // MARK: - Private

    private func nextDeadline(now: Duration) -> Duration {
        let deadlines = [self.prompt.first, self.nextStuckTry(now: now), self.aside.first]
        return deadlines.reduce(self.nextInterval) { min($0, $1 ?? $0) }
    }

    private mutating func insert(_ id: UUID, _ batch: QueuedBatch) {
        self.nextOrder += 1
        self.batches[id] = batch
        let slot = self.lines.slot(of: batch.installation)
        self.lines[slot].batches.append(id)
        if self.lines[slot].batches.count == 1 { self.makeNextReady(slot) }
    }

    /// Makes the oldest batch of an installation ready, unless an abandoned one of it is on the wire, or it is set aside.
    mutating func makeNextReady(_ slot: Int) {
        guard let next = self.lines[slot].batches.first, !self.aside.contains(self.lines[slot].number) else { return }
        guard self.abandoned.isEmpty || !self.abandoned.values.contains(self.lines[slot].number) else { return }
        self.makeReady(next)
    }

    /// Inserts a batch into the ready ones by its order.
    mutating func makeReady(_ id: UUID) {
        guard let batch = self.batches[id] else { return }
        if batch.hasFailed { self.stuck.insert(id, batch) } else { self.ready.insert(id, batch) }
    }

    /// Takes a batch out of those that wait for their turn.
    mutating func takeOut(_ id: UUID) {
        self.ready.remove(id)
        self.stuck.remove(id)
    }

    private mutating func settle(_ id: UUID, isAccepted: Bool = false) {
        guard let batch = self.removeBatch(id, isAccepted: isAccepted), let slot = self.lines.find(batch.installation)
        else { return }
        self.lines[slot].batches.removeAll { $0 == id }
        self.makeNextReady(slot)
        self.changed(slot)
    }

    /// Removes a batch, which ends its part in a search.
    mutating func removeBatch(_ id: UUID, isAccepted: Bool = false) -> QueuedBatch? {
        guard let batch = self.batches.removeValue(forKey: id) else { return nil }
        self.refusedBatches.ended(id, of: batch.installation, isAccepted: isAccepted)
        return batch
    }

    private mutating func collectDue(now: Duration) {
        self.takeBack(at: now)
        while let number = self.prompt.popDue(at: now) {
            guard let slot = self.lines.find(number), let promptAt = self.lines[slot].promptAt, promptAt <= now else {
                continue
            }
            self.lines[slot].promptAt = nil
            self.lines[slot].markDue(upTo: self.lines[slot].last ?? 0)
            self.list(slot)
        }
        guard self.nextInterval <= now else { return }
        // After a long sleep one upload is enough: missed uploads are not made up for.
        self.nextInterval = now + self.limits.interval
        for slot in self.lines.used {
            self.lines[slot].markDue(upTo: self.lines[slot].last ?? 0)
            self.list(slot)
        }
    }

    private mutating func take(_ ids: [UUID]) -> Request {
        self.requestsSinceStuck = ids.contains { self.batches[$0]?.hasFailed == true } ? 0 : self.requestsSinceStuck + 1
        let request = self.requests.begin(ids)
        self.rate.take(request.batches.count)
        return request
    }

    private mutating func nextCut() -> BatchPlan? {
        while let number = self.due.popFirst() {
            guard let slot = self.lines.find(number) else { continue }
            self.lines[slot].isListed = false
            guard self.lines[slot].isDue, !self.aside.contains(number), let run = self.lines[slot].run,
                let mpid = run.key.mpid
            else { continue }
            // It stays on the list until a batch was made of it: a failed cut is tried again.
            self.list(slot)
            return BatchPlan(
                installation: number,
                mpid: mpid,
                session: run.key.session,
                context: run.key.context,
                own: run.key.own,
                seconds: run.seconds,
                sequences: run.events.prefix(self.limits.events)
            )
        }
        return nil
    }
}
