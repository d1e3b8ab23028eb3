// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct SHA256Tests {
    /// The examples that go with FIPS 180-4.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                + "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ])
    func theExamplesOfTheStandardComeOut(message: String, digest: String) {
        #expect(Hexadecimal.encode(SHA256.hash(Array(message.utf8))) == digest)
    }

    @Test func aMillionLettersComeOut() {
        let digest = SHA256.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
        #expect(Hexadecimal.encode(digest) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    // The expected value is the digest of all 131 digests, computed with Python's hashlib over the same bytes.
    @Test func everyLengthAroundTwoBlocksIsPaddedRight() {
        var digests: [UInt8] = []
        for length in 0...130 {
            digests += SHA256.hash((0..<length).map { UInt8(truncatingIfNeeded: $0 * 7 + length) })
        }
        #expect(
            Hexadecimal.encode(SHA256.hash(digests))
                == "969b9f993f9c27e8424a46288c5b7999eee502a7befa92cad6cfef1034d76c51"
        )
    }
}
