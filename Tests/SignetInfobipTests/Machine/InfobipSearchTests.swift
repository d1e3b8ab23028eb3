// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetTestSupport
import Testing

@testable import SignetInfobip

@Suite struct InfobipSearchTests {
    @Test func nothingGoesWrongInASmallWorld() {
        var search = InfobipSearch()
        let isFull = TestScale.current == .full
        search.run(.init(calls: isFull ? 3 : 2, faults: isFull ? 2 : 1, kills: 1))
        print("\(search.states) states")
        #expect(search.violations == [])
    }
}
