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
        at milliseconds: Int64 = 1_700_000_000_999
    ) throws(WireError) -> TransportRequest {
        try IterableRequestBuilder(apiKey: key, server: server).request(
            for: route,
            body: [1, 2],
            token: token,
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
                "Content-Type: application/json", "Api-Key: the-key", "SDK-Platform: Signet",
                "SDK-Version: \(ClientInfo.signet.version)", "Sent-At: 1700000000", "SDK-Request-Processor: Offline",
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
        let request = try Self.request(route, token: "a.b.c")
        #expect(request.headers["Authorization"] == "Bearer a.b.c")
    }

    @Test func thePathsAndMethodsAreTheDocumentedOnes() throws {
        let table: [(IterableRoute, String, TransportRequest.Method)] = [
            (.criteria, "unknownuser/list", .get), (.session, "unknownuser/events/session", .post),
            (.consent, "unknownuser/consent", .post), (.merge, "users/merge", .post),
            (.trackEvent, "events/track", .post), (.trackPurchase, "commerce/trackPurchase", .post),
            (.updateCart, "commerce/updateCart", .post), (.updateUser, "users/update", .post),
            (.updateEmail, "users/updateEmail", .post), (.registerDevice, "users/registerDeviceToken", .post),
            (.disableDevice, "users/disableDevice", .post),
        ]
        #expect(table.count == IterableRoute.allCases.count)
        for (route, path, method) in table {
            let request = try Self.request(route)
            #expect(request.url == "https://api.iterable.com/api/" + path)
            #expect(request.method == method)
            #expect(route.name == path)
        }
    }

    @Test func theServerIsOneOfTwoOrOnesOwn() throws {
        #expect(try Self.request(server: .europe).url == "https://api.eu.iterable.com/api/events/track")
        let own = IterableServer(try ServerURL("http://localhost:8080/emulator/"))
        #expect(try Self.request(server: own).url == "http://localhost:8080/emulator/events/track")
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
