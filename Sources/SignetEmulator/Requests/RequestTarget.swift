// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The path and the query of a URL, without the vendor's prefix.
struct RequestTarget: Sendable {
    /// The documented path, such as `/v1/identify`; signatures cover it without any prefix.
    let path: String
    /// The components of `path`.
    let segments: [Substring]
    /// The query's names and values, in order and not percent-decoded.
    let query: [(name: Substring, value: Substring)]

    // A single host for all services has these prefixes before the documented paths (mParticle, custom base URL). The
    // version after it distinguishes the prefix `identity` from the `identity` in the alias path.
    private static let prefixes = ["identity", "nativeevents"]
    private static let longestMethod = 16

    /// Reads an absolute URL; nil if it is not one.
    ///
    /// Percent-escapes, dot segments and empty segments are not resolved, so they match no route: no documented path needs
    /// them.
    init?(url: String) {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else { return nil }
        guard let colon = url.firstIndex(of: ":"), colon != url.startIndex else { return nil }
        let afterScheme = url[url.index(after: colon)...]
        guard afterScheme.hasPrefix("//") else { return nil }
        let withoutFragment = afterScheme.dropFirst(2).prefix { $0 != "#" }
        let authority = withoutFragment.prefix { $0 != "/" && $0 != "?" }
        guard !authority.isEmpty else { return nil }
        let rest = withoutFragment.dropFirst(authority.count)
        let path = rest.prefix { $0 != "?" }
        var segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        if segments.count > 1, Self.prefixes.contains(where: { $0 == segments[0] }), Self.isVersion(segments[1]) {
            segments.removeFirst()
        }
        if Self.isPrefixOfWeb(segments) {
            segments.removeFirst()
        }
        // Iterable's API has its paths below `/api/`; a single host for all services may omit it.
        if segments.count > 1, segments[0] == "api", Self.iterable(segments.dropFirst()) != nil {
            segments.removeFirst()
        }
        self.segments = segments
        self.path = "/" + segments.joined(separator: "/")
        self.query = rest.dropFirst(path.count + 1).split(separator: "&").map { item in
            let name = item.prefix { $0 != "=" }
            return (name, item.dropFirst(name.count + 1))
        }
    }

    private static func isVersion(_ segment: Substring) -> Bool {
        segment == "v1" || segment == "v2"
    }

    // A domain of the customer has these prefixes before the paths of the SDK for browsers.
    private static func isPrefixOfWeb(_ segments: [Substring]) -> Bool {
        switch EmulatorRoute.web(segments.dropFirst()) {
        case nil: false
        case .webConfiguration: segments[0] == "tags"
        default: segments[0] == "webevents"
        }
    }

    /// The route of this path; nil when the emulated platform has no such path.
    var route: EmulatorRoute? {
        switch (self.segments.count, self.segments.first, self.segments.last) {
        case (2, "v1", "identify"): .identify
        case (2, "v1", "login"): .login
        case (2, "v1", "logout"): .logout
        case (2, "v1", "search"): .search
        case (3, "v1", "modify"): .modify
        case (4, "v1", "alias"): self.segments[1] == "identity" ? .alias : nil
        case (2, "v2", "events"): .events
        case (2, "v2", "bulkevents"): .bulkEvents
        default: EmulatorRoute.web(self.segments[...]) ?? Self.iterable(self.segments[...])
        }
    }

    /// The key in a path that ends with a key and one more name; nil for shorter paths.
    var key: Substring? {
        self.segments.dropLast().last
    }

    /// The refusal of a path without a route.
    var notFound: Refusal {
        guard self.segments.suffix(4).dropLast(2) == ["v2", "JS"], self.segments.last == "Events" else {
            return .notFound("The emulator has no such path.")
        }
        // Releases before 2.30 send batches only with a flag of their configuration.
        return .notFound(
            "The emulator does not accept single events of a web page. Use mParticle's SDK for browsers 2.30 or later, "
                + "which sends batches to /v3/JS/{apiKey}/events."
        )
    }

    /// Returns the route of a request, which may depend on its method too.
    func route(of request: TransportRequest) -> EmulatorRoute? {
        EmulatorRoute.infobip(self.segments, method: Self.method(of: request)) ?? self.route
    }

    /// Returns the effective method: one of the vendor's clients sends `PATCH` as `POST` with a header.
    static func method(of request: TransportRequest) -> TransportRequest.Method {
        // This runs before the check of the fields: a value longer than any method is not compared.
        guard request.method == .post, let override = request.headers["X-HTTP-Method-Override"],
            override.utf8.count <= Self.longestMethod
        else {
            return request.method
        }
        return TransportRequest.Method(rawValue: override.uppercased()) ?? request.method
    }

    private static func iterable(_ segments: ArraySlice<Substring>) -> EmulatorRoute? {
        guard segments.count > 1, let route = EmulatorRoute(rawValue: segments.joined(separator: "/")) else {
            return nil
        }
        return route.isIterable ? route : nil
    }

    /// Returns the value of a boolean query item; nil if it is missing.
    func flag(_ name: String) throws(Refusal) -> Bool? {
        let values = self.query.filter { $0.name == name }.map(\.value)
        guard let value = values.first else { return nil }
        guard values.count == 1, value == "true" || value == "false" else {
            throw .badRequest("Query parameter '\(name)' must be 'true' or 'false', once.")
        }
        return value == "true"
    }
}
