//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// A clock whose sleeps leave little behind when they are cancelled.
///
/// Swift's clocks answer a cancelled sleep at once, but keep what they hold for it, about a kilobyte, until its deadline. A
/// runtime that makes thousands of requests a second, each with half a minute to answer, would keep a hundred megabytes of
/// timers that nobody waits for. Here a sleep is a row of short ones that grow, so that what stays is gone soon after.
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
