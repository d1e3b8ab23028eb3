// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import SignetEmulator

struct WallClockTests {
    @Test(arguments: [
        (0.0, 0 as Int64), (1.2345, 1234), (1.0009, 1000), (-0.0001, -1), (1_700_000_000.5, 1_700_000_000_500),
        (1e300, .max), (-1e300, .min), (.nan, .max), (.infinity, .max),
    ])
    func millisecondsAreRoundedDownAndNeverTrap(seconds: Double, milliseconds: Int64) {
        #expect(WallClock { Date(timeIntervalSince1970: seconds) }.milliseconds == milliseconds)
    }

    @Test func withoutAClockItIsTheMachines() {
        // Later than the day this was written, and never earlier than before.
        let first = WallClock(nil).milliseconds
        #expect(first > 1_700_000_000_000)
        #expect(WallClock(nil).milliseconds >= first - 1000)
    }

    @Test func aStampBecomesADate() {
        #expect(WallClock.date(milliseconds: 1500).timeIntervalSince1970 == 1.5)
    }
}
