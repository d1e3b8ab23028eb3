//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport
import Testing

@Suite struct HTTPDateTests {
    @Test func bothSpellingsSayTheSameSecond() {
        #expect(HTTPDate.rfc1123(milliseconds: 1_700_000_000_999) == "Tue, 14 Nov 2023 22:13:20 GMT")
        #expect(HTTPDate.basicISO8601(milliseconds: 1_700_000_000_999) == "20231114T221320Z")
        #expect(HTTPDate.parse("Tue, 14 Nov 2023 22:13:20 GMT") == 1_700_000_000_000)
        #expect(HTTPDate.parse("20231114T221320Z") == 1_700_000_000_000)
    }
}
