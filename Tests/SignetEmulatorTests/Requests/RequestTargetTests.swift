// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@testable import SignetEmulator

struct RequestTargetTests {
    @Test(arguments: [
        ("https://identity.mparticle.com/v1/identify", EmulatorRoute.identify, "/v1/identify"),
        ("http://localhost:8080/v1/login", .login, "/v1/login"),
        ("https://example.com/identity/v1/logout", .logout, "/v1/logout"),
        ("https://[::1]:1/identity/v1/search?a=b", .search, "/v1/search"),
        ("https://h/v1/-17/modify", .modify, "/v1/-17/modify"),
        ("https://h/identity/v1/17/modify", .modify, "/v1/17/modify"),
        ("https://h/v1/identity/us1-key/alias", .alias, "/v1/identity/us1-key/alias"),
        ("https://h/nativeevents/v1/identity/us1-key/alias", .alias, "/v1/identity/us1-key/alias"),
        ("https://s2s.mparticle.com/v2/events", .events, "/v2/events"),
        ("https://h/nativeevents/v2/events#part", .events, "/v2/events"),
        ("https://h/v2/bulkevents", .bulkEvents, "/v2/bulkevents"),
        ("https://jssdks.mparticle.com/v3/JS/us1-key/events", .webEvents, "/v3/JS/us1-key/events"),
        ("https://h/webevents/v3/JS/us1-key/events?a", .webEvents, "/v3/JS/us1-key/events"),
        ("https://jssdks.mparticle.com/v1/identity/us1-key/Alias", .webAlias, "/v1/identity/us1-key/Alias"),
        ("https://h/webevents/v1/identity/us1-key/Alias", .webAlias, "/v1/identity/us1-key/Alias"),
        ("https://h/identity/us1-key/Alias", .webAlias, "/identity/us1-key/Alias"),
        ("https://jssdkcdns.mparticle.com/JS/v2/us1-key/config?env=0", .webConfiguration, "/JS/v2/us1-key/config"),
        ("https://h/tags/JS/v2/us1-key/config", .webConfiguration, "/JS/v2/us1-key/config"),
        ("https://h/webevents/v1/JS/us1-key/Forwarding", .forwarding, "/v1/JS/us1-key/Forwarding"),
        ("https://jssdks.mparticle.com/v2/JS/us1-key/Forwarding", .forwarding, "/v2/JS/us1-key/Forwarding"),
        ("https://api.iterable.com/api/unknownuser/list?", .criteria, "/unknownuser/list"),
        ("https://api.eu.iterable.com/api/unknownuser/events/session", .activation, "/unknownuser/events/session"),
        ("http://localhost:1/users/merge", .mergeUsers, "/users/merge"),
        ("https://h/api/mobile/getRemoteConfiguration?a=b", .remoteConfiguration, "/mobile/getRemoteConfiguration"),
    ])
    func documentedPathsAreRoutedWhateverTheHost(url: String, route: EmulatorRoute, path: String) {
        let target = RequestTarget(url: url)
        #expect(target?.route == route)
        #expect(target?.path == path)
    }

    @Test(arguments: [
        "https://h", "https://h/", "https://h/v1", "https://h/v1/", "https://h/v1/Identify", "https://h/v1/identify/",
        "https://h//v1/identify", "https://h/v1//identify", "https://h/v3/../v1/identify", "https://h/v1/%69dentify",
        "https://h/%2e%2e/v1/identify", "https://h/identity/identity/v1/identify", "https://h/v2/identify",
        "https://h/v1/events", "https://h/identity", "https://h/v1/other/us1-key/alias", "https://h/v1/a/b/modify",
        "https://h/api", "https://h/api/v1/identify", "https://h/api/identify", "https://h/identify",
        "https://h/api/api/users/merge", "https://h/api/users/Merge", "https://h/api/users/merge/", "https://h/users",
        "https://h?/v1/identify", "https://h#/v1/identify",
    ])
    func otherPathsHaveNoRoute(url: String) {
        let target = RequestTarget(url: url)
        #expect(target != nil)
        #expect(target?.route == nil)
    }

    @Test(
        arguments: [
            ("appinstance", .get, EmulatorRoute.createInstallation), ("appinstance/a", .get, .fetchInstallation),
            ("appinstance/a", .patch, .updateInstallation), ("appinstance/a", .put, .fetchInstallation),
            ("appinstance/a/user", .patch, .updatePerson), ("appinstance/a/user", .delete, .fetchPerson),
            ("appinstance/a/user/events/custom?validate=1", .post, .customEvents), ("baseurl", .get, .baseURL),
            ("appinstance/", .get, nil), ("appinstance//user", .get, nil), ("appinstance/a/", .get, nil),
            ("appinstance/a/User", .get, nil), ("appinstance/a/user/events", .post, nil), ("baseurl/a", .get, nil),
            ("appinstances", .get, nil), ("", .get, nil),
        ] as [(String, TransportRequest.Method, EmulatorRoute?)]
    )
    func pathsOfPeopleAreRoutedByTheirMethodToo(path: String, method: TransportRequest.Method, route: EmulatorRoute?) {
        let request = TransportRequest(method: method, url: "https://mobile.infobip.com/mobile/1/" + path)
        #expect(RequestTarget(url: request.url)?.route(of: request) == route)
        #expect(RequestTarget(url: "https://h/mobile/2/" + path)?.route(of: request) == nil)
    }

    @Test(arguments: [
        "", "/v1/identify", "https:/v1/identify", "https:///v1/identify", "://h/v1/identify", "h/v1/identify",
        "https://h/v1/identify ", "https://h/v1/ide\u{0}ntify", "https://h/v1/\r\nidentify", "https://h/v1/ïdentify",
        "https://h/v1\\identify", "https://h/\u{7F}",
    ])
    func whatIsNoURLIsNone(url: String) {
        #expect(RequestTarget(url: url) == nil)
    }

    @Test func theQueryIsReadByName() throws {
        let target = try #require(RequestTarget(url: "https://h/v1/identify?x&read_only=true&y=false&=true#read_only"))
        #expect(try target.flag("read_only") == true)
        #expect(try target.flag("y") == false)
        #expect(try target.flag("z") == nil)
        #expect(throws: Refusal.self) { try target.flag("x") }
    }
}
