// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetTestSupport
import Testing

@testable import SignetInfobip

@Suite struct InfobipSearchTests {
    /// A part of the small worlds: the first thousands of states of each budget.
    @Test func nothingGoesWrongInASmallWorld() {
        for budget in [InfobipSearch.Budget(calls: 2, faults: 1, kills: 0), .init(calls: 1, faults: 1, kills: 1)] {
            #expect(Self.violations(budget, limit: 4000) == [])
        }
    }

    /// The first states of 3 calls, 2 faults and a kill.
    @Test(.enabled(if: TestScale.current == .full))
    func nothingGoesWrongInALargerWorld() {
        #expect(Self.violations(InfobipSearch.Budget(calls: 3, faults: 2, kills: 1), limit: 40_000) == [])
    }

    private static func violations(_ budget: InfobipSearch.Budget, limit: Int) -> [String] {
        var search = InfobipSearch()
        search.limit = limit
        search.run(budget)
        print("\(search.states) states")
        return search.violations
    }
}
