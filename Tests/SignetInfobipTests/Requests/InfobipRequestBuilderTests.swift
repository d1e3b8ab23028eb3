// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport
import SignetWire
import Testing

@testable import SignetInfobip

@Suite struct InfobipRequestBuilderTests {
    private static let code: Secret = "3c59f6e341a6896fc15b8cd7e3f3fdf8-031a75db-fd8f-46b0-9f2b-a2e915d7b952"

    private static func request(
        _ route: InfobipRoute,
        code: Secret = code,
        registration: String? = "own",
        session: Int64? = 1_714_554_000_123,
        isForeground: Bool = true,
        token: Secret? = nil
    ) throws(WireError) -> TransportRequest {
        let caller = InfobipCaller(
            pushRegistrationID: registration,
            installationID: "U",
            sessionStart: session,
            isForeground: isForeground
        )
        let application = InfobipApplication(code: code)
        return try InfobipRequestBuilder(application: application, userAgent: "Signet/0.1.0").request(
            for: route,
            body: [1],
            from: caller,
            token: token,
            timeout: .seconds(20),
            responseLimit: 4096
        )
    }

    @Test func theHashIsThatOfTheVector() {
        #expect(InfobipApplication(code: Self.code).hash == "b9ff7d254e")
    }

    @Test func everyRequestHasTheDocumentedHeaders() throws {
        let request = try Self.request(.fetchInstallation("own"))
        #expect(
            request.headers.map { "\($0.name): \($0.value)" } == [
                "Authorization: App 3c59f6e341a6896fc15b8cd7e3f3fdf8-031a75db-fd8f-46b0-9f2b-a2e915d7b952",
                "applicationcode: b9ff7d254e", "pushregistrationid: own", "sessionId: own_1714554000123",
                "installationid: U", "foreground: true", "User-Agent: Signet/0.1.0", "Accept: application/json",
                "Content-Type: application/json",
            ]
        )
        #expect(request.timeout == .seconds(20))
        #expect(request.responseLimit == 4096)
        let background = try Self.request(.fetchInstallation("own"), session: nil, isForeground: false)
        #expect(background.headers["foreground"] == "false")
        #expect(background.headers["sessionId"] == nil)
    }

    @Test func whoRegistersHasNoIdYetAndWhoAsksForAnotherNamesItsOwn() throws {
        let create = try Self.request(.createInstallation)
        #expect(create.headers["pushregistrationid"] == nil)
        #expect(create.headers["sessionId"] == nil)
        let other = try Self.request(.updateInstallation("other"))
        #expect(other.headers["pushregistrationid"] == "own")
        #expect(other.url == "https://mobile.infobip.com/mobile/1/appinstance/other?rt=0")
        #expect(try Self.request(.baseURL, registration: nil).headers["sessionId"] == nil)
    }

    static let routes: [(InfobipRoute, TransportRequest.Method, String, takesToken: Bool, wantsData: Bool)] = [
        (.createInstallation, .post, "appinstance?rt=1", false, true),
        (.fetchInstallation("i"), .get, "appinstance/i?rt=1", false, true),
        (.updateInstallation("i"), .patch, "appinstance/i?rt=0", false, false),
        (.expireInstallation("i"), .delete, "appinstance/i", false, false),
        (.fetchUser("i"), .get, "appinstance/i/user?ri=1&rt=0", true, true),
        (.updateUser("i"), .patch, "appinstance/i/user?ri=0&rt=0", true, false),
        (
            .personalize("i", .keepAsLead), .post,
            "appinstance/i/personalize?forceDepersonalize=0&keepAsLead=1&setDeviceAsPrimary=0", true, true
        ),
        (
            .personalize("i", [.forceDepersonalize, .setDeviceAsPrimary]),
            .post,
            "appinstance/i/personalize?forceDepersonalize=1&keepAsLead=0&setDeviceAsPrimary=1", true, true
        ),
        (.depersonalize("i"), .post, "appinstance/i/depersonalize", false, false),
        (.customEvents("i", isValidated: true), .post, "appinstance/i/user/events/custom?validate=1", false, false),
        (.customEvents("i", isValidated: false), .post, "appinstance/i/user/events/custom?validate=0", false, false),
        (.sessionReports("i"), .post, "appinstance/i/user/events/session", false, false),
        (.baseURL, .get, "baseurl", false, true),
    ]

    @Test func thePathsMethodsAndQueriesAreTheDocumentedOnes() throws {
        for (route, method, path, takesToken, wantsData) in Self.routes {
            let request = try Self.request(route, token: "a.b.c")
            #expect(request.url == "https://mobile.infobip.com/mobile/1/" + path)
            #expect(request.method == method)
            #expect(request.headers.values(of: "Authorization").map { $0 == "Bearer a.b.c" } == [takesToken])
            #expect(route.wantsData == wantsData)
            #expect(!route.name.isEmpty)
        }
        #expect(Set(Self.routes.map(\.0.name)).count == 11)
    }

    @Test(arguments: ["", ".", "..", "a/b", "a?b", "a b", "a%2f", "ä", "a\r\nb", "a#"])
    func anIdThatNoPathCanHoldIsRefused(id: String) {
        for (route, registration) in [(InfobipRoute.fetchUser(id), "own"), (.fetchUser("i"), id)] {
            do throws(WireError) {
                _ = try Self.request(route, registration: registration)
                Issue.record("a request was made")
            } catch {
                #expect(error.code == .invalidIdentifier)
            }
        }
    }

    @Test func whatNoHeaderCanHoldIsRefusedWithoutBeingSaid() {
        for (code, token, expected) in [
            ("", nil, .invalidAPIKey), ("hunter2\r\nX: y", nil, .invalidHeader),
            ("c", "hunter2\r\nX: y", .invalidHeader),
        ] as [(Secret, Secret?, WireError.Code)] {
            do throws(WireError) {
                _ = try Self.request(.fetchUser("i"), code: code, token: token)
                Issue.record("a request was made")
            } catch {
                #expect(error.code == expected)
                #expect(!error.message.contains("hunter2"))
            }
        }
    }

    @Test func theUserAgentIsPrintableAndKeepsItsFields() {
        var system = InfobipBodyTests.system()
        system.deviceName = "Žofie's (old); phone\r\n"
        #expect(
            InfobipUserAgent.text(system, bundleID: "com.example")
                == "Signet/0.1.0(Linux;6.1;;X;;com.example;2.0;ofie's old phone;;;)"
        )
        let hidden = InfobipUserAgent.text(system, bundleID: "com.example", isPrivate: true)
        #expect(hidden == "Signet/0.1.0(;;;;;;;;;;)")
    }
}
