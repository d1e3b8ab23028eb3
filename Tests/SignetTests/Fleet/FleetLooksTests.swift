// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

/// Each cell of the looks at rows that are due: four states, three events.
struct FleetLooksTests {
    private static let between = FleetLooks()

    private static var underWay: FleetLooks {
        var looks = FleetLooks()
        _ = looks.begin()
        return looks
    }

    private static var last: FleetLooks {
        var looks = Self.underWay
        _ = looks.stop()
        return looks
    }

    private static var over: FleetLooks {
        var looks = FleetLooks()
        _ = looks.stop()
        return looks
    }

    @Test func onlyBetweenTwoLooksOneBegins() {
        for (state, begins) in [(Self.between, true), (Self.underWay, false), (Self.last, false), (Self.over, false)] {
            var looks = state
            let hasBegun = looks.begin()
            #expect(hasBegun == begins)
        }
    }

    @Test func aStopWaitsForTheLookThatIsUnderWay() {
        for (state, waits) in [(Self.between, false), (Self.underWay, true), (Self.last, true), (Self.over, false)] {
            var looks = state
            let mustWait = looks.stop()
            #expect(mustWait == waits)
            let begins = looks.begin()
            #expect(!begins)
        }
    }

    @Test func afterALookAnotherOneBeginsUnlessItWasTheLast() {
        for (state, begins) in [(Self.between, true), (Self.underWay, true), (Self.last, false), (Self.over, false)] {
            var looks = state
            looks.end()
            let hasBegun = looks.begin()
            #expect(hasBegun == begins)
        }
    }

    @Test func afterTheLastLookNobodyWaits() {
        var looks = Self.last
        looks.end()
        let waits = looks.stop()
        #expect(!waits)
    }
}
