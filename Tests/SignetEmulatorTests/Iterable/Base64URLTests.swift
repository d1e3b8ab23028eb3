// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SignetEmulator

struct Base64URLTests {
    // RFC 4648, section 10, without padding; RFC 7515, appendix C.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func thePublishedVectorsHoldBothWays(plain: String, text: String) {
        #expect(Base64URL.encode(Array(plain.utf8)) == text)
        #expect(Base64URL.decode(text) == Array(plain.utf8))
    }

    @Test func theExampleOfTheStandardHasBothOtherCharacters() {
        #expect(Base64URL.encode([3, 236, 255, 224, 193]) == "A-z_4ME")
        #expect(Base64URL.decode("A-z_4ME") == [3, 236, 255, 224, 193])
    }

    @Test(arguments: ["Zg==", "Z", "Zh", "Zm8=", "A+z/4ME", "Zm 9v", "Zm9v\n", "Zm9vé", "====", "."])
    func whatItWouldNotWriteItDoesNotRead(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
