// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport
import Testing

struct IterableTokenTests {
    // Signed with another implementation (Python, hmac).
    private static let known =
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJlbWFpbCI6ImFubkBleGFtcGxlLmNvbSIsImlhdCI6MTcwMDAwMDAwMCwiZXhwIjoxNzAwMDAz"
        + "NjAwfQ.OezTZbhPrDq8OcuscDhH6HtaAxQbkVgcz53zqEMdSuw"
    // Its payload has both characters that tell base64url from base64; for the user "a?~>b>?".
    private static let otherAlphabet =
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ1c2VySWQiOiJhP34-Yj4_IiwiaWF0IjoxNzAwMDAwMDAwLCJleHAiOjE3MDAwMDM2MDB9."
        + "Z87YgoofSv-8c2GXhacQMt-AKw53oFj09IAs1FfHQaM"

    private static let ann: JSONObject = ["email": "ann@example.com"]

    private static func platform() -> IterablePlatform {
        IterablePlatform(EmulatedIterableProject(requiresTokens: true))
    }

    /// A token with whatever in it, signed as it must be unless said otherwise.
    private static func token(
        _ payload: String,
        header: String = #"{"alg":"HS256","typ":"JWT"}"#,
        secret: String = "emulated-project-secret"
    ) -> String {
        func part(_ bytes: [UInt8]) -> String {
            var text = ""
            for character in Base64.encode(bytes) where character != "=" {
                text.append(character == "+" ? "-" : character == "/" ? "_" : character)
            }
            return text
        }
        let text = part(Array(header.utf8)) + "." + part(Array(payload.utf8))
        return text + "." + part(HMACSHA256.authenticationCode(for: Array(text.utf8), key: Array(secret.utf8)))
    }

    private static func claims(
        _ user: String = #""email":"ann@example.com""#,
        life: Int64 = 3600,
        from: Int64 = 0
    )
        -> String
    {
        let issued = ManualTime.start / 1000 + from
        return "{\(user),\"iat\":\(issued),\"exp\":\(issued + life)}"
    }

    @Test func tokensOfAnotherImplementationAreTaken() async {
        let platform = Self.platform()
        #expect(await platform.track("e", Self.ann, token: Self.known).status == 200)
        let user: JSONObject = ["userId": "a?~>b>?", "preferUserId": true]
        #expect(await platform.track("e", user, token: Self.otherAlphabet).status == 200)
        #expect(platform.iterable.requests().map(\.tokenOwner) == [.email("ann@example.com"), .userID("a?~>b>?")])
    }

    @Test func whatTheProjectSignsIsWhatAnotherWouldSign() async {
        let platform = Self.platform()
        let token = platform.iterable.signToken(for: .email("ann@example.com"))
        #expect(await platform.track("e", Self.ann, token: token).status == 200)
        let unknown = platform.iterable.signToken(for: .userID("u"), lifetime: .seconds(1))
        let user: JSONObject = ["userId": "u", "preferUserId": true]
        #expect(await platform.track("e", user, token: unknown).status == 200)
        platform.time.advance(by: .seconds(1))
        #expect(await platform.track("e", user, token: unknown).message == "JWT token is expired")
    }

    @Test func everyFaultHasItsCodeAndMessage() async {
        let year: Int64 = 365 * 24 * 60 * 60
        let format = "JWT format is invalid"
        let payload = "Invalid payload"
        let nobody = "JWT payload requires a value for userId or email"
        let tooLong = "exp must be less than 1 year from iat"
        let none = #"{"alg":"none"}"#
        let cases: [(token: String, message: String)] = [
            ("", format), ("a", format), ("a.b", format), ("..", format), ("a.b.c", format),
            (Self.known + ".x", format),
            (Self.known + "=", format), ("é.é.é", format), (String(repeating: "A", count: 20_000), format),
            (Self.token(Self.claims(), secret: "another"), "JWT is invalid"),
            (Self.token(Self.claims(), header: none), "JWT is invalid"),
            (Self.token(Self.claims(), header: #"{"alg":"HS512"}"#), "JWT is invalid"),
            (String(Self.known.dropLast(43)), "JWT is invalid"),
            (Self.token("[]"), payload), (Self.token("no json"), payload),
            (Self.token(#"{"email":"ann@example.com"}"#), payload),
            (Self.token(#"{"email":"ann@example.com","iat":1700000000}"#), payload),
            (Self.token(#"{"email":"ann@example.com","iat":1700000000,"exp":"1700000001"}"#), payload),
            (Self.token(#"{"email":"ann@example.com","iat":1700000000,"exp":1700000001.5}"#), payload),
            (Self.token(#"{"iat":1700000000,"exp":1700003600}"#), nobody),
            (Self.token(Self.claims(#""email":"""#)), nobody),
            (Self.token(Self.claims(#""email":7"#)), nobody),
            (Self.token(Self.claims(life: year)), tooLong),
            (Self.token(#"{"email":"e@x","iat":-9223372036854775808,"exp":9223372036854775807}"#), tooLong),
            (Self.token(Self.claims(life: 0)), "JWT token is expired"),
            (Self.token(Self.claims(from: -3600)), "JWT token is expired"),
            (Self.token(Self.claims(life: -5)), "JWT token is expired"),
        ]
        for (position, fault) in cases.enumerated() {
            let platform = Self.platform()
            let answer = await platform.track("e", Self.ann, token: fault.token)
            #expect(answer.status == 401, "case \(position)")
            #expect(answer.code == "InvalidJwtPayload", "case \(position)")
            #expect(answer.message == fault.message, "case \(position)")
            #expect(platform.iterable.users().isEmpty)
        }
    }

    @Test func theLongestLifeIsJustUnderAYear() async {
        let token = Self.token(Self.claims(life: 365 * 24 * 60 * 60 - 1))
        #expect(await Self.platform().track("e", Self.ann, token: token).status == 200)
    }

    @Test(
        arguments: [
            [], [("Authorization", "Basic YTpi")], [("Authorization", known)], [("Authorization", "Bearer")],
            [("Authorization", "Bearer \(known)"), ("Authorization", "Bearer \(known)")],
        ] as [[(String, String)]]
    )
    func withoutOneTokenTheHeaderIsBad(headers: [(String, String)]) async {
        let platform = Self.platform()
        let body = Array(#"{"email":"ann@example.com","eventName":"e"}"#.utf8)
        let request = IterablePlatform.request("events/track", body, headers: IterablePlatform.headers() + headers)
        let answer = IterableAnswer(await platform.emulator.handle(request))
        #expect(answer.status == 401)
        #expect(answer.code == "BadAuthorizationHeader")
        #expect(answer.message == "JWT Authorization header is not set")
    }

    @Test func aTokenIsForOneUser() async {
        let platform = Self.platform()
        for user in [["email": "eve@example.com"], ["userId": "ann@example.com", "preferUserId": true]] as [JSONObject]
        {
            let answer = await platform.track("e", user, token: Self.known)
            #expect(answer.status == 401)
            #expect(answer.code == "JwtUserIdentifiersMismatched")
        }
        #expect(platform.iterable.users().isEmpty)
        let both = Self.token(Self.claims(#""email":"ann@example.com","userId":"u""#))
        #expect(await platform.track("e", Self.ann, token: both).status == 200)
        #expect(await platform.track("e", ["userId": "u", "preferUserId": true], token: both).status == 200)
    }

    @Test func anInvalidatedTokenIsNoneUntilAnotherIsSigned() async {
        let platform = Self.platform()
        #expect(await platform.track("e", Self.ann, token: Self.known).status == 200)
        platform.iterable.invalidateToken(Self.known)
        let answer = await platform.track("e", Self.ann, token: Self.known)
        #expect(answer.status == 401)
        #expect(answer.code == "InvalidJwtPayload")
        #expect(answer.message == "JWT token has been invalidated")
        let other = platform.iterable.signToken(for: .email("ann@example.com"), lifetime: .seconds(60))
        #expect(await platform.track("e", Self.ann, token: other).status == 200)
    }

    @Test func aNewSecretEndsOldTokens() async {
        let platform = Self.platform()
        platform.iterable.configure { $0.secret = "rotated" }
        #expect(await platform.track("e", Self.ann, token: Self.known).message == "JWT is invalid")
        let token = platform.iterable.signToken(for: .email("ann@example.com"))
        #expect(await platform.track("e", Self.ann, token: token).status == 200)
    }

    @Test func theKeyIsCheckedBeforeTheTokenAndTheTokenBeforeTheBody() async {
        let platform = Self.platform()
        let wrong = IterablePlatform.request("events/track", [0xFF], headers: IterablePlatform.headers(key: "other"))
        #expect(IterableAnswer(await platform.emulator.handle(wrong)).code == "BadApiKey")
        #expect(await platform.post("events/track", "{").code == "BadAuthorizationHeader")
        #expect(await platform.post("events/track", "{", token: Self.known).code == "BadJsonBody")
    }

    // The paths that the vendor's clients mark as needing no token.
    @Test func someRoutesNeedNoToken() async {
        let device = #""deviceInfo":{"deviceId":"d","platform":"iOS","appPackageName":"a"}"#
        for token in [nil, "bad", Self.known] {
            let platform = Self.platform()
            #expect(await platform.get("unknownuser/list").status == 200)
            #expect(await platform.activate("u").status == 200)
            let consent = #"{"consentTimestamp":1,"userId":"u","isUserKnown":false,\#(device)}"#
            #expect(await platform.post("unknownuser/consent", consent, token: token).status == 200)
            #expect(
                await platform.merge("u", into: ["destinationEmail": "ann@example.com"], token: token).status == 200
            )
            #expect(
                platform.iterable.merges().map(\.tokenOwner) == [token == Self.known ? .email("ann@example.com") : nil]
            )
            #expect(await platform.post("users/disableDevice", #"{"token":"t"}"#, token: token).status == 404)
        }
    }

    @Test func aStricterProjectChecksTokensThatItDoesNotNeed() async {
        let platform = Self.platform()
        platform.iterable.configure { $0.checksSpareTokens = true }
        #expect(await platform.activate("u").status == 200)
        let eve: JSONObject = ["destinationEmail": "eve@example.com"]
        #expect(await platform.merge("u", into: eve, token: "bad").code == "InvalidJwtPayload")
        #expect(await platform.merge("u", into: eve, token: Self.known).code == "JwtUserIdentifiersMismatched")
        #expect(await platform.merge("u", into: eve).status == 200)
    }

    @Test func withoutTheRuleNobodyNeedsAToken() async {
        let platform = IterablePlatform()
        #expect(await platform.track("e", Self.ann).status == 200)
        #expect(await platform.track("e", Self.ann, token: "bad").status == 200)
        platform.iterable.configure { $0.requiresTokens = true }
        #expect(await platform.track("e", Self.ann).status == 401)
    }
}
