// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct HexadecimalTests {
    @Test func eachByteHasTwoDigits() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = Hexadecimal.encode(bytes)
        #expect(text.hasPrefix("000102030405060708090a0b0c0d0e0f10"))
        #expect(text.hasSuffix("fdfeff"))
    }

    @Test func nothingIsNothing() {
        #expect(Hexadecimal.encode([]).isEmpty)
    }
}
