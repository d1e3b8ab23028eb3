// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTransport
import SignetWire
import Testing

@Suite struct RouteTests {
    struct Row: Sendable {
        let route: Route
        let name: String
        let path: String
        let service: Service
        let usesBasicAlways: Bool

        init(_ route: Route, _ name: String, _ path: String, _ service: Service, basic: Bool = false) {
            self.route = route
            self.name = name
            self.path = path
            self.service = service
            self.usesBasicAlways = basic
        }
    }

    static let rows: [Row] = [
        Row(.identify, "identify", "/v1/identify", .identity),
        Row(.login, "login", "/v1/login", .identity),
        Row(.logout, "logout", "/v1/logout", .identity),
        Row(.search, "search", "/v1/search", .identity),
        Row(.alias, "alias", "/v1/identity/us1-key/alias", .alias),
        Row(.events, "events", "/v2/events", .events, basic: true),
        Row(.bulkEvents, "bulkEvents", "/v2/bulkevents", .events, basic: true),
    ]

    @Test(arguments: Self.rows)
    func everyRouteIsWhatTheDocumentationSays(_ row: Row) {
        #expect(row.route.method == .post)
        #expect(row.route.name == row.name)
        #expect(row.route.path(apiKey: "us1-key") == row.path)
        #expect(row.route.service == row.service)
    }

    @Test(arguments: Self.rows)
    func onlyTheEventsAPIInsistsOnBasic(_ row: Row) {
        for configured in [Authentication.hmac, .basic, .keyOnly] {
            #expect(row.route.authentication(configured: configured) == (row.usesBasicAlways ? .basic : configured))
        }
    }

    @Test func modifyNamesItsUserInThePath() throws {
        let route = Route.modify(try Samples.mpid(-123))
        #expect(route.method == .post)
        #expect(route.name == "modify")
        #expect(route.path(apiKey: "us1-key") == "/v1/-123/modify")
        #expect(route.service == .identity)
        #expect(route.authentication(configured: .hmac) == .hmac)
    }

    @Test func theExtremeMPIDsStandInThePathWhole() throws {
        let smallest = try Samples.mpid(.min)
        #expect(Route.modify(smallest).path(apiKey: "k") == "/v1/-9223372036854775808/modify")
        let largest = try Samples.mpid(.max)
        #expect(Route.modify(largest).path(apiKey: "k") == "/v1/9223372036854775807/modify")
    }
}
