// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport
import SignetWire
import Testing

@testable import SignetIterable

@Suite struct IterableRequestBuilderTests {
    private static func request(
        _ route: IterableRoute = .trackEvent,
        key: String = "the-key",
        server: IterableServer = .unitedStates,
        token: Secret? = nil,
        query: [(name: String, value: String)] = [],
        processor: IterableRequestBuilder.Processor = .online,
        at milliseconds: Int64 = 1_700_000_000_999
    ) throws(WireError) -> TransportRequest {
        let client = IterableClient(platform: "iOS", version: "6.7.3")
        return try IterableRequestBuilder(apiKey: key, server: server, client: client).request(
            for: route,
            body: [1, 2],
            query: query,
            token: token,
            processor: processor,
            at: milliseconds,
            timeout: .seconds(7),
            responseLimit: 4096
        )
    }

    private static func fields(_ request: TransportRequest) -> [String] {
        request.headers.map { "\($0.name): \($0.value)" }
    }

    @Test func everyRequestHasTheDocumentedHeaders() throws {
        let request = try Self.request()
        #expect(
            Self.fields(request) == [
                "Content-Type: application/json", "Api-Key: the-key", "SDK-Platform: iOS", "SDK-Version: 6.7.3",
                "Sent-At: 1700000000", "SDK-Request-Processor: Online",
            ]
        )
        #expect(request.method == .post)
        #expect(request.url == "https://api.iterable.com/api/events/track")
        #expect(request.body == [1, 2])
        #expect(request.timeout == .seconds(7))
        #expect(request.responseLimit == 4096)
    }

    @Test(arguments: IterableRoute.allCases)
    func aTokenThatIsHeldGoesWithEveryRoute(route: IterableRoute) throws {
        let request = try Self.request(route, token: "a.b.c", processor: .offline)
        #expect(request.headers["Authorization"] == "Bearer a.b.c")
        #expect(request.headers["SDK-Request-Processor"] == "Offline")
    }

    @Test func thePathsMethodsAndNeedsAreTheDocumentedOnes() {
        let table: [(IterableRoute, String, TransportRequest.Method, needsToken: Bool)] = [
            (.criteria, "/unknownuser/list", .get, false), (.session, "/unknownuser/events/session", .post, false),
            (.consent, "/unknownuser/consent", .post, false), (.merge, "/users/merge", .post, false),
            (.trackEvent, "/events/track", .post, true), (.trackPurchase, "/commerce/trackPurchase", .post, true),
            (.updateCart, "/commerce/updateCart", .post, true), (.updateUser, "/users/update", .post, true),
            (.updateEmail, "/users/updateEmail", .post, true),
            (.registerDevice, "/users/registerDeviceToken", .post, true),
            (.disableDevice, "/users/disableDevice", .post, false),
            (.remoteConfiguration, "/mobile/getRemoteConfiguration", .get, false),
        ]
        #expect(table.count == IterableRoute.allCases.count)
        for (route, path, method, needsToken) in table {
            #expect(route.path == path)
            #expect(route.method == method)
            #expect(route.needsToken == needsToken)
            #expect(route.name == path.dropFirst())
        }
    }

    @Test func theServerIsOneOfTwoOrOnesOwn() throws {
        #expect(try Self.request(server: .europe).url == "https://api.eu.iterable.com/api/events/track")
        let own = IterableServer(try ServerURL("http://localhost:8080/emulator/"))
        #expect(try Self.request(server: own).url == "http://localhost:8080/emulator/events/track")
    }

    @Test func aQueryIsEscaped() throws {
        let query = [(name: "platform", value: "iOS"), (name: "p q", value: "ä&=#/~")]
        let request = try Self.request(.remoteConfiguration, query: query)
        #expect(
            request.url
                == "https://api.iterable.com/api/mobile/getRemoteConfiguration?platform=iOS&p%20q=%C3%A4%26%3D%23%2F~"
        )
        #expect(request.method == .get)
    }

    @Test(arguments: [
        (-1 as Int64, "-1"), (0, "0"), (999, "0"), (1000, "1"), (.min, "-9223372036854776"), (-1000, "-1"),
    ])
    func sentAtIsInWholeSeconds(milliseconds: Int64, text: String) throws {
        #expect(try Self.request(at: milliseconds).headers["Sent-At"] == text)
    }

    @Test func whatNoHeaderCanHoldIsRefusedWithoutBeingSaid() {
        for (key, token, code) in [
            ("", nil, .invalidAPIKey), ("a\r\nb", nil, .invalidHeader), ("k", "hunter2\r\nX: y", .invalidHeader),
        ] as [(String, Secret?, WireError.Code)] {
            do throws(WireError) {
                _ = try Self.request(key: key, token: token)
                Issue.record("a request was made")
            } catch {
                #expect(error.code == code)
                #expect(!error.message.contains("hunter2"))
            }
        }
    }
}
