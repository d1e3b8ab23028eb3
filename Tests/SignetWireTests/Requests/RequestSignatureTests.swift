// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport
import SignetWire
import Testing

/// Vectors: the digest of the vendor's own unit test, and two computed with Python's `hmac`.
@Suite struct RequestSignatureTests {
    static let body = Array(
        (#"{"environment":"development","known_identities":{"customerid":"123456"},"#
            + #""request_id":"00000000-0000-4000-8000-000000000001","request_timestamp_ms":1700000000000}"#).utf8
    )

    @Test func theVendorsDigest() {
        let code = HMACSHA256.authenticationCode(
            for: Array("The Quick Brown Fox Jumps Over The Lazy Dog.".utf8),
            key: Array("unit_test_app_key".utf8)
        )
        #expect(
            Hexadecimal.encode(code) == "ceefdfeab2fe404a7cbb75f6f6a01443286fab507eb85c213fce3d812e8b615c"
        )
    }

    @Test(arguments: [
        (
            "Tue, 14 Nov 2023 22:13:20 GMT", "61c88f66db796b44e7bcf6b2f985a5589a51b20ea2e699c799f77d82dd2e150e"
        ),
        ("20231114T221320Z", "9c79455383d281ff36a5527f89a3e5504d43d5a85a1174f50466dd7a91f46a7c"),
    ])
    func anIdentifyIsSigned(_ date: String, _ expected: String) {
        let signature = RequestSignature.sign(
            method: .post,
            date: date,
            path: "/v1/identify",
            body: Self.body,
            secret: "example-secret"
        )
        #expect(signature == expected)
    }

    @Test func everyPartIsSigned() {
        func sign(
            _ method: TransportRequest.Method = .post,
            _ date: String = "d",
            _ path: String = "/p",
            _ body: String = "b",
            _ secret: Secret = "s"
        ) -> String {
            RequestSignature.sign(method: method, date: date, path: path, body: Array(body.utf8), secret: secret)
        }
        let all = [
            sign(), sign(.put), sign(.post, "e"), sign(.post, "d", "/q"), sign(.post, "d", "/p", "c"),
            sign(.post, "d", "/p", "b", "t"),
        ]
        #expect(Set(all).count == all.count)
    }
}
