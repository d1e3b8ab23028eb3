// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct Base64Tests {
    /// RFC 4648, section 10, and the last two characters of the alphabet.
    @Test(arguments: [
        ([], ""),
        (Array("f".utf8), "Zg=="),
        (Array("fo".utf8), "Zm8="),
        (Array("foo".utf8), "Zm9v"),
        (Array("foob".utf8), "Zm9vYg=="),
        (Array("fooba".utf8), "Zm9vYmE="),
        (Array("foobar".utf8), "Zm9vYmFy"),
        ([0xFB, 0xFF, 0xBF], "+/+/"),
        ([0], "AA=="),
        ([255, 255], "//8="),
    ])
    func theVectorsComeOutAndBack(bytes: [UInt8], text: String) {
        #expect(Base64.encode(bytes) == text)
        #expect(Base64.decode(text) == bytes)
    }

    @Test func allBytesComeBackAtEveryAlignment() {
        for dropped in 0..<4 {
            let bytes = Array((UInt8.min...UInt8.max).dropFirst(dropped))
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zm9", "Zm9vYg=", "Zg==Zg==", "Z===", "====", "=", "==", "A=AA", "=AAA", "AA=A", "Zm9v=",
        "Zm9v====", "Zm9v\n", "Zm 9", "Zm-_", "Zm9\u{0}", "Zm9é", "Ｚm9",
    ])
    func wrongPaddingAndOtherCharactersAreRefused(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(arguments: ["Zh==", "Zn==", "Zm9=", "Zm+=", "//9=", "/x=="])
    func bitsThatMeanNothingMustBeZero(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
