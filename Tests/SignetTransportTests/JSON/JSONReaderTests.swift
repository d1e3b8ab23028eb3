//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport
import Testing

@Suite struct JSONReaderTests {
    @Test func aDocumentComesBackAsItWasWritten() throws {
        let text = #"{"a":[1,-2.50e+3,true,false,null,{}],"b":"x\"\\\u0000é🙂","mpid":12345678901234567890}"#
        let value = try JSONReader.read(Array(text.utf8))
        #expect(String(decoding: value.encoded(), as: UTF8.self) == text)
        #expect(value["mpid"]?.number?.text == "12345678901234567890")
        #expect(value["b"] == "x\"\\\u{0}é🙂")
    }
}
