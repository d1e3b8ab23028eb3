//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetWire
import Testing

@Suite struct WireErrorTests {
    @Test func theDescriptionNamesTheCodeAndTellsTheMessage() {
        #expect(WireError(.notJSON, "The answer is a poem.").description == "notJSON: The answer is a poem.")
    }
}
