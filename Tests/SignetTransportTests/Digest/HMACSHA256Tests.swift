// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct HMACSHA256Tests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let key: [UInt8]
        let message: [UInt8]
        let code: String

        var testDescription: String {
            self.name
        }
    }

    /// RFC 4231, section 4.
    @Test(arguments: [
        Vector(
            name: "1",
            key: [UInt8](repeating: 0x0B, count: 20),
            message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        Vector(
            name: "2, a short key",
            key: Array("Jefe".utf8),
            message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        Vector(
            name: "3",
            key: [UInt8](repeating: 0xAA, count: 20),
            message: [UInt8](repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        Vector(
            name: "4",
            key: Array(1...25),
            message: [UInt8](repeating: 0xCD, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        // The RFC shows the first 128 bits only.
        Vector(
            name: "5, shown truncated",
            key: [UInt8](repeating: 0x0C, count: 20),
            message: Array("Test With Truncation".utf8),
            code: "a3b6167473100ee06e0c796c2955552bfa6f7c0a6a8aef8b93f860aab0cd20c5"
        ),
        Vector(
            name: "6, a key longer than a block",
            key: [UInt8](repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        Vector(
            name: "7, key and message longer than a block",
            key: [UInt8](repeating: 0xAA, count: 131),
            message: Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm.").utf8
            ),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ])
    func theVectorsOfTheRFCComeOut(vector: Vector) {
        #expect(
            Hexadecimal.encode(HMACSHA256.authenticationCode(for: vector.message, key: vector.key)) == vector.code
        )
    }

    private static let identifyBody =
        #"{"environment":"development","known_identities":{"customerid":"123456"},"#
        + #""request_id":"00000000-0000-4000-8000-000000000001","request_timestamp_ms":1700000000000}"#

    /// The first is from the tests of the platform's own SDK; the others were computed with Python's hmac.
    @Test(arguments: [
        (
            "unit_test_app_key", "The Quick Brown Fox Jumps Over The Lazy Dog.",
            "ceefdfeab2fe404a7cbb75f6f6a01443286fab507eb85c213fce3d812e8b615c"
        ),
        (
            "example-secret", "POST\nTue, 14 Nov 2023 22:13:20 GMT\n/v1/identify" + Self.identifyBody,
            "61c88f66db796b44e7bcf6b2f985a5589a51b20ea2e699c799f77d82dd2e150e"
        ),
        (
            "example-secret", "POST\n20231114T221320Z\n/v1/identify" + Self.identifyBody,
            "9c79455383d281ff36a5527f89a3e5504d43d5a85a1174f50466dd7a91f46a7c"
        ),
    ])
    func theSignaturesOfRequestsComeOut(secret: String, message: String, signature: String) {
        let code = HMACSHA256.authenticationCode(for: Array(message.utf8), key: Array(secret.utf8))
        #expect(Hexadecimal.encode(code) == signature)
    }

    /// Keys and messages of 0 to 130 bytes; the expected value is the digest of all codes, computed with Python's hmac.
    @Test func everyLengthOfKeyAroundTwoBlocksIsPaddedRight() {
        var codes: [UInt8] = []
        for length in 0...130 {
            codes += HMACSHA256.authenticationCode(
                for: (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7 + length) },
                key: (0..<length).map { UInt8(truncatingIfNeeded: $0 * 3 + length) }
            )
        }
        #expect(
            Hexadecimal.encode(SHA256.hash(codes))
                == "0e5a9248e65ed28d983439936853167c1a3d23dba762e50eb57c1ad6c4bda0df"
        )
    }
}
