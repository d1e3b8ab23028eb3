// SPDX-License-Identifier: Apache-2.0

import SignetTesting
import Testing

@testable import Signet

@Suite struct SlicedClockTests {
    /// Sleeps on a manual clock, which is moved to each deadline that it sleeps for.
    private static func stops(until deadline: Duration) async throws -> [Duration] {
        let base = ManualClock()
        let clock = SlicedClock(base: base)
        async let sleep: Void = clock.sleep(until: .init(offset: deadline), tolerance: nil)
        var stops: [Duration] = []
        while base.now.offset < deadline {
            await base.nextSleep()
            guard let next = base.nextDeadline else { continue }
            stops.append(next.offset)
            base.advance(to: next)
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
        let base = ManualClock()
        let clock = SlicedClock(base: base)
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await clock.sleep(until: .init(offset: .seconds(60)), tolerance: nil) }
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.next() }
        }
        #expect(base.nextDeadline == nil)
    }
}
