// SPDX-License-Identifier: Apache-2.0

import SignetWire
import Testing

@Suite struct EventViolationTests {
    @Test func theDescriptionNamesTheCodeAndTellsTheMessage() {
        #expect(EventViolation(.emptyName, "There is none.").description == "emptyName: There is none.")
    }
}
