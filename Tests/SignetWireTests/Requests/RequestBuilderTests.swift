// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTransport
import SignetWire
import Testing

@Suite struct RequestBuilderTests {
    static let signature = "61c88f66db796b44e7bcf6b2f985a5589a51b20ea2e699c799f77d82dd2e150e"

    func builder(
        _ authentication: Authentication,
        key: String = "us1-key",
        secret: Secret = "example-secret",
        base: String? = nil,
        overrides: [Service: String] = [:]
    ) throws -> RequestBuilder {
        let hosts = ServiceHosts(
            apiKey: key,
            customBaseURL: try base.map { try ServerURL($0) },
            overrides: try overrides.mapValues { try ServerURL($0) }
        )
        return RequestBuilder(
            credentials: WorkspaceCredentials(apiKey: key, secret: secret),
            authentication: authentication,
            hosts: hosts
        )
    }

    func request(_ builder: RequestBuilder, _ route: Route = .identify) throws(WireError) -> TransportRequest {
        try builder.request(
            for: route,
            body: RequestSignatureTests.body,
            at: Samples.milliseconds,
            timeout: .seconds(7),
            responseLimit: 4096
        )
    }

    func fields(_ request: TransportRequest) -> [String] {
        request.headers.map { "\($0.name): \($0.value)" }
    }

    @Test func theDigestGoesWithKeyAndDate() throws {
        let request = try self.request(self.builder(.hmac))
        #expect(
            self.fields(request) == [
                "Content-Type: application/json",
                "x-mp-key: us1-key",
                "Date: Tue, 14 Nov 2023 22:13:20 GMT",
                "x-mp-signature: \(Self.signature)",
            ]
        )
        #expect(request.method == .post)
        #expect(request.url == "https://identity.us1.mparticle.com/v1/identify")
        #expect(request.body == RequestSignatureTests.body)
        #expect(request.timeout == .seconds(7))
        #expect(request.responseLimit == 4096)
    }

    @Test func basicSendsKeyAndSecretAndNothingElse() throws {
        let request = try self.request(self.builder(.basic, secret: "söcret"))
        // base64 of "us1-key:söcret" in UTF-8.
        #expect(
            self.fields(request) == [
                "Content-Type: application/json", "Authorization: Basic dXMxLWtleTpzw7ZjcmV0",
            ]
        )
    }

    @Test func keyOnlySendsTheKeyAndNothingElse() throws {
        let request = try self.request(self.builder(.keyOnly, secret: ""))
        #expect(self.fields(request) == ["Content-Type: application/json", "x-mp-key: us1-key"])
    }

    @Test(arguments: [Authentication.hmac, .basic, .keyOnly], [Route.events, .bulkEvents])
    func theEventsAPIGetsBasicWhateverIsConfigured(_ authentication: Authentication, _ route: Route) throws {
        let request = try self.request(self.builder(authentication), route)
        #expect(request.headers["Authorization"] == "Basic dXMxLWtleTpleGFtcGxlLXNlY3JldA==")
        #expect(request.headers["x-mp-signature"] == nil)
        #expect(request.headers["x-mp-key"] == nil)
    }

    @Test func theEventsAPINeedsASecretEvenWhenIdentityDoesNot() throws {
        let builder = try self.builder(.keyOnly, secret: "")
        let error = #expect(throws: WireError.self) { try self.request(builder, .events) }
        #expect(error?.code == .emptySecret)
    }

    @Test func theSignatureIsOverTheDefaultPathWhereverTheRequestGoes() throws {
        let overridden = try self.request(
            self.builder(.hmac, overrides: [.identity: "https://id.example.com/some/prefix"])
        )
        #expect(overridden.url == "https://id.example.com/some/prefix/v1/identify")
        #expect(overridden.headers["x-mp-signature"] == Self.signature)

        let custom = try self.request(self.builder(.hmac, base: "http://localhost:9/emulator"))
        #expect(custom.url == "http://localhost:9/emulator/v1/identify")
        #expect(custom.headers["x-mp-signature"] == Self.signature)
    }

    @Test func theAliasRequestIsSignedWithTheKeyInItsPath() throws {
        let request = try self.request(self.builder(.hmac), .alias)
        let expected = RequestSignature.sign(
            method: .post,
            date: "Tue, 14 Nov 2023 22:13:20 GMT",
            path: "/v1/identity/us1-key/alias",
            body: RequestSignatureTests.body,
            secret: "example-secret"
        )
        #expect(request.headers["x-mp-signature"] == expected)
        #expect(request.url == "https://nativesdks.us1.mparticle.com/v1/identity/us1-key/alias")
    }

    @Test(arguments: ["us1-k\r\nx-admin: 1", "us1-k/../../admin", "us1-k?x=1", "us1-k#", "us1-k%0d%0a", "us1-k:x", ""])
    func aKeyThatInjectsIsAnError(_ key: String) throws {
        for authentication in [Authentication.hmac, .basic, .keyOnly] {
            let builder = try self.builder(authentication, key: key)
            for route in [Route.identify, .alias, .events] {
                let error = #expect(throws: WireError.self) { try self.request(builder, route) }
                #expect(error?.code == .invalidAPIKey)
                #expect(key.isEmpty || error?.message.contains(key) == false)
            }
        }
    }

    @Test func anEmptySecretIsAnErrorAndNoUnsignedRequest() throws {
        let builder = try self.builder(.hmac, secret: "")
        let error = #expect(throws: WireError.self) { try self.request(builder) }
        #expect(error?.code == .emptySecret)
    }

    @Test func theBuilderDoesNotShowItsCredentials() throws {
        var dumped = ""
        dump(try self.builder(.hmac, key: "us1-visible"), to: &dumped)
        #expect(!dumped.contains("visible") && !dumped.contains("example-secret"))
    }
}
