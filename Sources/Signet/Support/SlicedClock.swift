// SPDX-License-Identifier: Apache-2.0

/// A clock whose cancelled sleeps leave little memory behind.
///
/// Swift's clocks end a cancelled sleep at once, but keep its memory, about a kilobyte, until its deadline. A runtime
/// with thousands of requests a second, each with a limit of half a minute, would keep a hundred megabytes of unused
/// timers. Here a sleep is a series of growing short sleeps, so the memory is freed soon after a cancellation.
struct SlicedClock<Base: Clock>: Clock where Base.Duration == Duration {
    let base: Base

    var now: Base.Instant {
        self.base.now
    }

    var minimumResolution: Duration {
        self.base.minimumResolution
    }

    func sleep(until deadline: Base.Instant, tolerance: Duration?) async throws {
        var slice = Duration.milliseconds(100)
        while true {
            let next = self.base.now.advanced(by: slice)
            guard next < deadline else { return try await self.base.sleep(until: deadline, tolerance: tolerance) }
            try await self.base.sleep(until: next, tolerance: tolerance)
            slice *= 2
        }
    }
}
