// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport
import Testing

struct CredentialsTests {
    private static let path = "/v1/identify"
    private static let body = Platform.identityBody(["email": "e"]).encoded()
    private static let eventsBody = Array(#"{"environment":"production","user_identities":{"email":"e"}}"#.utf8)

    private static func status(
        _ headers: [(String, String)],
        path: String = path,
        body: [UInt8] = body,
        configuration: EmulatorConfiguration = EmulatorConfiguration()
    ) async -> Answer {
        Answer(await Platform(configuration).emulator.handle(Platform.request(path, body, headers: headers)))
    }

    private static func digest(
        path: String = path,
        body: [UInt8] = body,
        date: String = "Tue, 14 Nov 2023 22:13:20 GMT",
        method: String = "POST",
        secret: String = Platform.secret
    ) -> [(String, String)] {
        let message = Array("\(method)\n\(date)\n\(path)".utf8) + body
        let code = HMACSHA256.authenticationCode(for: message, key: Array(secret.utf8))
        return [("x-mp-key", Platform.key), ("Date", date), ("x-mp-signature", Hexadecimal.encode(code))]
    }

    // MARK: Digest

    // Computed with another implementation (Python, hmac) over the documented text.
    @Test(arguments: [
        ("Tue, 14 Nov 2023 22:13:20 GMT", "61c88f66db796b44e7bcf6b2f985a5589a51b20ea2e699c799f77d82dd2e150e"),
        ("20231114T221320Z", "9c79455383d281ff36a5527f89a3e5504d43d5a85a1174f50466dd7a91f46a7c"),
    ])
    func aKnownSignatureIsAccepted(date: String, signature: String) async {
        let text =
            #"{"environment":"development","known_identities":{"customerid":"123456"},"#
            + #""request_id":"00000000-0000-4000-8000-000000000001","request_timestamp_ms":1700000000000}"#
        let headers = [("x-mp-key", "key"), ("Date", date), ("x-mp-signature", signature)]
        let configuration = EmulatorConfiguration(apiKey: "key", secret: "example-secret")
        let answer = await Self.status(headers, body: Array(text.utf8), configuration: configuration)
        #expect(answer.status == 200)
        let changed = await Self.status(headers, body: Array((text + " ").utf8), configuration: configuration)
        #expect(changed.status == 401)
    }

    @Test(arguments: ["", "/identity"])
    func theSignatureIsOverTheDocumentedPathWhateverThePrefix(prefix: String) async {
        #expect(await Self.status(Self.digest(), path: prefix + Self.path).status == 200)
        #expect(await Self.status(Self.digest(path: "/identity" + Self.path), path: prefix + Self.path).status == 401)
    }

    @Test func aQueryIsNotSigned() async {
        let path = Self.path + "?read_only=false"
        #expect(await Self.status(Self.digest(), path: path).status == 200)
        #expect(await Self.status(Self.digest(path: path), path: path).status == 401)
    }

    static let badDigests: [(String, [(String, String)])] = [
        ("another secret", digest(secret: "other")),
        ("another method", digest(method: "post")),
        ("another path", digest(path: "/v1/login")),
        ("another case of the path", digest(path: "/v1/Identify")),
        ("another body", digest(body: [])),
        ("a date that is none", digest(date: "yesterday")),
        ("an empty date", digest(date: "")),
        ("no key", Array(digest().dropFirst())),
        ("another key", [("x-mp-key", "us1-other")] + digest().dropFirst()),
        ("two keys", digest() + [("x-mp-key", Platform.key)]),
        ("no date", digest().filter { $0.0 != "Date" }),
        ("two dates", digest() + [("Date", "Tue, 14 Nov 2023 22:13:20 GMT")]),
        ("no signature", digest().filter { $0.0 != "x-mp-signature" }),
        ("two signatures", digest() + [digest()[2]]),
        ("capital letters", digest().map { ($0.0, $0.0 == "x-mp-signature" ? $0.1.uppercased() : $0.1) }),
        ("half a signature", digest().map { ($0.0, $0.0 == "x-mp-signature" ? String($0.1.prefix(32)) : $0.1) }),
        ("nothing", []),
    ]

    @Test(arguments: badDigests.indices)
    func aBadDigestIsUnauthorized(index: Int) async {
        let (title, headers) = Self.badDigests[index]
        let answer = await Self.status(headers)
        #expect(answer.status == 401, "\(title)")
        #expect(answer.errorCode == "UNAUTHORIZED", "\(title)")
    }

    @Test func headerNamesHaveNoCase() async {
        #expect(await Self.status(Self.digest().map { ($0.0.uppercased(), $0.1) }).status == 200)
    }

    @Test func theKeyAloneIsEnoughOnlyWhereThatIsSet() async {
        var configuration = EmulatorConfiguration()
        let headers = [("x-mp-key", Platform.key)]
        #expect(await Self.status(headers, configuration: configuration).status == 401)
        configuration.allowsKeyOnly = true
        #expect(await Self.status(headers, configuration: configuration).status == 200)
        #expect(await Self.status([("x-mp-key", "other")], configuration: configuration).status == 401)
        let wrong = headers + [("Date", "20231114T221320Z"), ("x-mp-signature", "00")]
        #expect(await Self.status(wrong, configuration: configuration).status == 401)
    }

    @Test func aDateMayBeAsFarAwayAsConfigured() async {
        var configuration = EmulatorConfiguration()
        configuration.requestDateTolerance = .seconds(300)
        // The platform's clock stands at 22:13:20.
        let dates = [
            "20231114T220820Z": 200, "20231114T220819Z": 401, "20231114T221820Z": 200, "20231114T221821Z": 401,
            "99991231T235959Z": 401, "00010101T000000Z": 401,
        ]
        for (date, status) in dates {
            #expect(await Self.status(Self.digest(date: date), configuration: configuration).status == status)
            #expect(await Self.status(Self.digest(date: date)).status == 200)
        }
    }

    // MARK: Basic

    static let badBasics: [String] = [
        "", "Basic", "Basic ", "Basic !!!!", "Basic dXMxLWVtdWxhdGVk", "Bearer abc",
        "Basic " + Base64.encode(Array("us1-emulated:wrong".utf8)),
        "Basic " + Base64.encode(Array("us1-other:emulated-secret".utf8)),
        "Basic " + Base64.encode(Array("us1-emulated:emulated-secret ".utf8)),
        "Basic " + Base64.encode(Array("us1-emulated:emulated-secret".utf8)) + "=",
        "Digest " + Base64.encode(Array("us1-emulated:emulated-secret".utf8)),
    ]

    @Test func basicIsAcceptedByBothInterfaces() async {
        let lower = ("authorization", Platform.basic().1.replacing("Basic", with: "bAsIc"))
        for headers in [[Platform.basic()], [lower]] {
            #expect(await Self.status(headers).status == 200)
            #expect(await Self.status(headers, path: "/v2/events", body: Self.eventsBody).status == 202)
        }
    }

    @Test(arguments: badBasics)
    func badBasicIs401ForIdentityAnd403ForEvents(value: String) async {
        let headers = [("Authorization", value)]
        let identity = await Self.status(headers)
        #expect(identity.status == 401)
        #expect(identity.errorCode == "UNAUTHORIZED")
        let events = await Self.status(headers, path: "/v2/events", body: Self.eventsBody)
        #expect(events.status == 403)
        #expect(events.errorCode == "FORBIDDEN")
    }

    @Test func aWrongBasicIsNotSavedByARightDigest() async {
        #expect(await Self.status([("Authorization", "Basic xxxx")] + Self.digest()).status == 401)
        #expect(await Self.status([Platform.basic(), Platform.basic()]).status == 401)
    }

    @Test(arguments: ["/v2/events", "/v2/bulkevents"])
    func theEventsInterfaceTakesNothingButBasic(path: String) async {
        let headers = Self.digest(path: path, body: Self.eventsBody)
        let answer = await Self.status(headers, path: path, body: Self.eventsBody)
        #expect(answer.status == 401)
        #expect(answer.errorCode == "UNAUTHORIZED")
    }

    @Test func colonsAndForeignLettersInASecretAreBytesLikeOthers() async {
        let configuration = EmulatorConfiguration(apiKey: "key", secret: "a:b:ü")
        #expect(await Self.status([Platform.basic("key:a:b:ü")], configuration: configuration).status == 200)
        // The same letter in two code points is another secret.
        #expect(await Self.status([Platform.basic("key:a:b:u\u{308}")], configuration: configuration).status == 401)
    }

    @Test func theSecretIsInNoAnswer() async {
        for headers in Self.badDigests.map(\.1) + Self.badBasics.map({ [("Authorization", $0)] }) {
            let response = await Platform().emulator.handle(Platform.request(Self.path, Self.body, headers: headers))
            #expect(!String(decoding: response.body, as: UTF8.self).contains(Platform.secret))
        }
    }
}
