// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTransport
import SignetWire
import Testing

@testable import SignetIterable

@Suite struct IterableVerdictTests {
    private static func verdict(
        _ status: Int,
        _ body: String = "",
        headers: HTTPHeaders = HTTPHeaders(),
        limits: JSONLimits = JSONLimits()
    ) -> IterableVerdict {
        let response = TransportResponse(status: status, headers: headers, body: Array(body.utf8))
        return IterableVerdict(response, now: Samples.milliseconds, limits: limits)
    }

    private static func refusal(_ code: String, _ message: String) -> String {
        #"{"msg":"\#(message)","code":"\#(code)","params":null}"#
    }

    @Test func onlyA200WithAnObjectIsASuccess() {
        #expect(Self.verdict(200, #"{"msg":"","code":"Success","params":null}"#) == .success)
        #expect(Self.verdict(200, "{}") == .success)
        for body in ["", " ", "[]", "null", "7", "<html>", "{", #"{"a":1"#] {
            #expect(Self.verdict(200, body) == .unusable(status: 200))
        }
        for status in [-1, 0, 100, 201, 202, 204, 299, 301, 302, 304, 600] {
            #expect(Self.verdict(status, "{}") == .unusable(status: status))
        }
    }

    /// One part that cannot be read does not hide the others.
    @Test func anUnreadablePartHidesNothingElse() {
        let deep = #"{"a":"# + String(repeating: "[", count: 60) + String(repeating: "]", count: 60) + "}"
        for body in [deep, #"{"a":1,"a":2}"#, #"{"msg":"Ann \ud83d","code":"Success"}"#] {
            #expect(Self.verdict(200, body) == .success)
        }
        let error = PlatformError(code: "BadParams", message: "")
        let text = #"{"code":"BadParams","msg":"cut \ud83d"}"#
        #expect(Self.verdict(400, text) == .refused(status: 400, error))
    }

    @Test(arguments: [
        ("exp must be less than 1 year from iat", TokenFailure.Reason.expirationInvalid),
        ("JWT format is invalid", .formatInvalid),
        ("JWT token is expired", .expired), ("jwt TOKEN is Expired", .expired), ("JWT is invalid", .signatureInvalid),
        ("JWT payload requires a value for userId or email", .userKeyInvalid),
        ("Email could not be found", .userKeyInvalid),
        ("JWT token has been invalidated", .invalidated), ("Invalid payload", .payloadInvalid),
        ("JWT Authorization header is not set", .missing), ("JWT token is expired.", .other), ("", .other),
    ])
    func theMessageSaysWhatIsWrongWithAToken(message: String, fault: TokenFailure.Reason) {
        for code in ["InvalidJwtPayload", "BadAuthorizationHeader", "JwtUserIdentifiersMismatched"] {
            let error = PlatformError(code: code, message: message)
            #expect(Self.verdict(401, Self.refusal(code, message)) == .tokenRefused(fault, error))
        }
        #expect(TokenFailure.Reason(message: message) == fault)
    }

    @Test(arguments: ["BadApiKey", "", "invalidJwtPayload", "Success"])
    func another401IsNotAboutTheToken(code: String) {
        let error = PlatformError(code: code, message: "JWT token is expired")
        #expect(Self.verdict(401, Self.refusal(code, "JWT token is expired")) == .unauthorized(status: 401, error))
    }

    @Test func a401WithoutABodyIsNotAboutTheToken() {
        for body in ["", "<html>", "[]", #"{"code":7}"#] {
            #expect(Self.verdict(401, body) == .unauthorized(status: 401, PlatformError(code: "", message: "")))
        }
    }

    @Test func otherStatusesMeanWhatTheySay() {
        let error = PlatformError(code: "C", message: "m")
        let body = Self.refusal("C", "m")
        #expect(Self.verdict(400, body) == .refused(status: 400, error))
        #expect(Self.verdict(403, body) == .unauthorized(status: 403, error))
        #expect(Self.verdict(404, body) == .refused(status: 404, error))
        #expect(Self.verdict(409, body) == .conflict(error))
        #expect(Self.verdict(413, body) == .refused(status: 413, error))
        #expect(Self.verdict(429, body) == .throttled(retryAfter: nil))
        #expect(Self.verdict(500, body) == .failed(status: 500, retryAfter: nil))
        let headers = Samples.headers(("Retry-After", "7"))
        #expect(Self.verdict(429, body, headers: headers) == .throttled(retryAfter: .seconds(7)))
        #expect(Self.verdict(503, body, headers: headers) == .failed(status: 503, retryAfter: .seconds(7)))
    }

    /// The body must be the service's own, with its code, for an answer to be a refusal.
    @Test(arguments: [
        "", "<html>nginx</html>", "{}", "[]", "null", "{", #"{"msg":"m"}"#, #"{"code":404}"#, #"{"code":""}"#,
    ])
    func whatIsNotTheServicesOwnRefusesNothing(_ body: String) {
        for status in [400, 413] { #expect(Self.verdict(status, body) == .unexplained(status: status)) }
        for status in [404, 405, 407, 410, 415, 421] {
            #expect(Self.verdict(status, body) == .unusable(status: status))
        }
        for status in [402, 406, 408, 409, 411, 418, 422, 425, 431, 499] {
            #expect(Self.verdict(status, body) == .failed(status: status, retryAfter: nil))
        }
        #expect(Self.verdict(429, body) == .throttled(retryAfter: nil))
    }

    @Test func whatIsAboutTheConnectionRefusesNothingWhateverTheBody() {
        let body = Self.refusal("C", "m")
        for status in [407, 421] { #expect(Self.verdict(status, body) == .unusable(status: status)) }
        for status in [408, 425] { #expect(Self.verdict(status, body) == .failed(status: status, retryAfter: nil)) }
    }

    @Test func textFromOutsideIsMadePlain() {
        let error = PlatformError(code: "C", message: "ab")
        #expect(Self.verdict(400, #"{"code":"C\u0000","msg":"a\n\u202eb"}"#) == .refused(status: 400, error))
    }
}
