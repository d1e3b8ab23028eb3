// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct HexadecimalTests {
    @Test func allBytesComeBack() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = Hexadecimal.encode(bytes)
        #expect(text.hasPrefix("000102030405060708090a0b0c0d0e0f10"))
        #expect(text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.decode(text) == bytes)
        #expect(Hexadecimal.decode(text.uppercased()) == bytes)
    }

    @Test func nothingIsNothing() {
        #expect(Hexadecimal.encode([]).isEmpty)
        #expect(Hexadecimal.decode("") == [])
    }

    @Test(arguments: [
        "0", "abc", "0g", "/0", "0:", "@0", "G0", "`0", "0x10", " 00", "00 ", "٠٠", "é", "+1", "\u{0}\u{0}",
    ])
    func otherTextIsRefused(text: String) {
        #expect(Hexadecimal.decode(text) == nil)
    }
}
