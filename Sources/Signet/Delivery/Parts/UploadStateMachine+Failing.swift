// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

// A failure may be of the way to the platform, or of one batch that no proxy and no platform takes. The first failure
// of a batch counts as one of the way, and all wait. A batch that has failed alone before says no more of the way than
// that it may be back: it waits by itself, and batches that have not failed go first.
extension UploadStateMachine {
    /// The batches that a failed try holds back.
    enum Setback: Sendable, Hashable {
        /// All: so many failures in a row may be due to the way.
        case all(failures: Int)
        /// Those that have failed before, as none other is there to tell whether the way is back; after so many in a
        /// row.
        case failed(failures: Int)
        /// The batch alone, as others are taken; after so many failures of it.
        case batch(failures: Int)

        /// The number from which the length of the pause follows.
        var failures: Int {
            switch self {
            case .all(let failures), .failed(let failures), .batch(let failures): failures
            }
        }
    }

    /// Counts a failed try.
    ///
    /// Tries that were under way at the first failure count as one with it: they say the same of the way.
    ///
    /// - Parameters:
    ///   - request: The request, which is then finished as ``Result/failed(_:pause:_:)``.
    ///   - reason: The reason for the pause.
    ///   - isUnexplained: True after a 400 or 413 that the platform has not given.
    ///   - now: The uptime.
    /// - Returns: The batches that wait now.
    mutating func countFailure(
        of request: Request,
        _ reason: UploadPause.Reason,
        isUnexplained: Bool = false,
        now: Duration
    ) -> Setback {
        switch reason {
        // The platform speaks of itself, or it was never asked.
        case .asked, .disk, .store: return .all(failures: self.countFailureOfAll(now: now))
        case .failure, .unauthorized, .misdirected: break
        }
        guard request.batches.count == 1, let id = request.batches.first, let batch = self.batches[id] else {
            // Any of them may be the cause.
            if reason == .failure { for id in request.batches { self.batches[id]?.isAlone = true } }
            return .all(failures: self.countFailureOfAll(now: now))
        }
        self.batches[id]?.failures += 1
        self.batches[id]?.isUnexplained = isUnexplained
        guard batch.hasFailed else { return .all(failures: self.countFailureOfAll(now: now)) }
        guard self.isProbing else { return .batch(failures: batch.failures + 1) }
        self.failures += 1
        return .failed(failures: self.failures)
    }

    /// Notes that the platform may have taken the batches of a failed request.
    mutating func noteUncertain(_ request: Request) {
        for id in request.batches { self.batches[id]?.mayBeTaken = true }
    }

    private mutating func countFailureOfAll(now: Duration) -> Int {
        if !self.isPaused(now: now) || self.failuresOfAll == 0 {
            self.failures += 1
            self.failuresOfAll += 1
        }
        return self.failuresOfAll
    }

    /// Lets the batches of a failed request wait.
    mutating func setBack(
        _ request: Request,
        _ setback: Setback,
        _ pause: Duration,
        _ reason: UploadPause.Reason,
        now: Duration
    ) {
        for id in request.batches {
            if let batch = self.batches[id], batch.hasFailed {
                self.stuck.insert(id, until: now + batch.rest(after: pause))
            } else {
                self.makeReady(id)
            }
        }
        switch setback {
        case .all: self.pause(until: now + pause, reason)
        case .failed: self.stuckPause = (now + pause, reason)
        case .batch: break
        }
    }

    /// Forgets failures: the platform has answered.
    mutating func endFailures() {
        (self.failures, self.failuresOfAll, self.stuckPause) = (0, 0, nil)
    }

    /// True when one batch goes at a time, until the platform accepts one again.
    var isProbing: Bool {
        self.failures > 0
    }

    /// True while a probe is on the wire that has not failed before: its answer tells about the way.
    var isProbeOnWire: Bool {
        self.isProbing && self.requests.contains { self.batches[$0]?.hasFailed != true }
    }

    /// Takes the next batch that has failed before; nil if all of them must wait.
    mutating func nextStuck(now: Duration) -> UUID? {
        guard !self.isStuckOnWire, self.stuckPause.map({ $0.until <= now }) ?? true else { return nil }
        if let id = self.stuck.takeDue() { return id }
        // No other batch can tell whether the platform is back.
        return self.isProbing ? self.stuck.takeResting(self.batches) : nil
    }

    /// The next time at which a batch that has failed before may go; nil if only an answer can change that.
    func nextStuckTry(now: Duration) -> Duration? {
        guard !self.isStuckOnWire else { return nil }
        if let until = self.stuckPause?.until, until > now { return self.stuck.count > 0 ? until : nil }
        return self.stuck.first
    }

    /// The end of the pause of the batches that have failed before, and its reason; nil if there is none.
    func stuckPause(now: Duration) -> (until: Duration, reason: UploadPause.Reason)? {
        self.stuckPause.flatMap { $0.until > now && self.stuck.count > 0 ? $0 : nil }
    }

    /// True if a batch has failed before, and cannot go now.
    func isWaiting(_ id: UUID, now: Duration) -> Bool {
        self.stuck.contains(id) && (!self.stuck.isDue(id) || self.stuckPause(now: now) != nil)
    }

    private var isStuckOnWire: Bool {
        self.requests.contains { self.batches[$0]?.hasFailed == true }
    }
}
