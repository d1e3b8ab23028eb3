// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetTestSupport
import Testing

@testable import SignetInfobip

@Suite struct InfobipSearchTests {
    /// At full scale 3 calls, 2 faults and a kill, all of it; else less, and of that a part.
    @Test func nothingGoesWrongInASmallWorld() {
        let isFull = TestScale.current == .full
        let budgets: [InfobipSearch.Budget] =
            isFull
            ? [.init(calls: 3, faults: 2, kills: 1)]
            : [.init(calls: 2, faults: 1, kills: 0), .init(calls: 1, faults: 1, kills: 1)]
        for budget in budgets {
            var search = InfobipSearch()
            search.limit = isFull ? .max : 4000
            search.run(budget)
            print("\(search.states) states")
            #expect(search.violations == [])
        }
    }
}
