//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport
import Testing

@Suite struct ServerURLTests {
    @Test func oneSpellingIsKept() throws {
        #expect(try ServerURL("HTTPS://Example.COM:443/v1/").text == "https://example.com/v1")
        #expect(try ServerURL("http://[::1]:8080").text == "http://[::1]:8080")
    }
}
