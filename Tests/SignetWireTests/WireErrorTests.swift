// SPDX-License-Identifier: Apache-2.0

import SignetWire
import Testing

@Suite struct WireErrorTests {
    @Test func theDescriptionNamesTheCodeAndTellsTheMessage() {
        #expect(WireError(.notJSON, "The answer is a poem.").description == "notJSON: The answer is a poem.")
    }
}
