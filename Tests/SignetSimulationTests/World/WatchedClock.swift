// SPDX-License-Identifier: Apache-2.0

import SignetTesting

/// A manual clock that tells the executor who looks at it.
struct WatchedClock: Clock, Sendable {
    let clock: ManualClock
    let executor: SeededExecutor

    var now: ManualClock.Instant {
        self.executor.look()
        return self.clock.now
    }

    var minimumResolution: Duration {
        self.clock.minimumResolution
    }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        try await self.clock.sleep(until: deadline, tolerance: tolerance)
    }
}
