//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTesting
import Testing

@testable import Signet

@Suite struct SlicedClockTests {
    /// Sleeps on a manual clock, which is moved to each deadline that it sleeps for.
    private static func stops(until deadline: Duration) async throws -> [Duration] {
        let clock = ManualClock()
        let sliced = SlicedClock(base: clock)
        async let sleep: Void = sliced.sleep(until: .init(offset: deadline), tolerance: nil)
        var stops: [Duration] = []
        while clock.now.offset < deadline {
            await clock.nextSleep()
            guard let next = clock.nextDeadline else { continue }
            stops.append(next.offset)
            clock.advance(to: next)
        }
        try await sleep
        return stops
    }

    @Test func aLongSleepIsARowOfGrowingOnesThatEndsAtItsDeadline() async throws {
        #expect(
            try await Self.stops(until: .seconds(2)) == [
                .milliseconds(100), .milliseconds(300), .milliseconds(700), .milliseconds(1500), .seconds(2),
            ]
        )
    }

    @Test func aShortSleepIsOne() async throws {
        #expect(try await Self.stops(until: .milliseconds(90)) == [.milliseconds(90)])
    }

    @Test func aCancelledSleepThrows() async throws {
        let clock = ManualClock()
        let sliced = SlicedClock(base: clock)
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sliced.sleep(until: .init(offset: .seconds(60)), tolerance: nil) }
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.next() }
        }
        #expect(clock.nextDeadline == nil)
    }
}
