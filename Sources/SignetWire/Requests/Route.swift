// SPDX-License-Identifier: Apache-2.0

package import SignetModel
package import SignetTransport

/// An endpoint of the platform.
package enum Route: Sendable, Hashable {
    case identify
    case login
    case logout
    case search
    case modify(MPID)
    case alias
    case events
    case bulkEvents

    private enum AuthenticationRule {
        case asConfigured
        case alwaysBasic
    }

    private struct Entry {
        let name: String
        let method: TransportRequest.Method
        let service: Service
        let path: String
        let authentication: AuthenticationRule

        init(
            _ name: String,
            _ method: TransportRequest.Method,
            _ service: Service,
            _ path: String,
            _ authentication: AuthenticationRule = .asConfigured
        ) {
            self.name = name
            self.method = method
            self.service = service
            self.path = path
            self.authentication = authentication
        }
    }

    // The only place that holds paths. Sources: IDSync HTTP API; Events API v2, "Endpoints".
    private var entry: Entry {
        switch self {
        case .identify: Entry("identify", .post, .identity, "/v1/identify")
        case .login: Entry("login", .post, .identity, "/v1/login")
        case .logout: Entry("logout", .post, .identity, "/v1/logout")
        case .search: Entry("search", .post, .identity, "/v1/search")
        case .modify: Entry("modify", .post, .identity, "/v1/{mpid}/modify")
        case .alias: Entry("alias", .post, .alias, "/v1/identity/{apiKey}/alias")
        case .events: Entry("events", .post, .events, "/v2/events", .alwaysBasic)
        case .bulkEvents: Entry("bulkEvents", .post, .events, "/v2/bulkevents", .alwaysBasic)
        }
    }

    /// The name for errors, observers and throttling; the same for every MPID.
    package var name: String {
        self.entry.name
    }

    /// The documented path, with names in place of ids and keys.
    package var template: String {
        self.entry.path
    }

    /// The HTTP method.
    package var method: TransportRequest.Method {
        self.entry.method
    }

    /// The service whose host serves the route.
    package var service: Service {
        self.entry.service
    }

    /// True if the platform may receive a request twice without harm: identify, login, logout and search resolve a user,
    /// and batches have an id.
    package var isRepeatable: Bool {
        switch self {
        case .identify, .login, .logout, .search, .events, .bulkEvents: true
        case .modify, .alias: false
        }
    }

    /// The authentication that a request of this route carries.
    ///
    /// - Parameter configured: The authentication that the workspace is configured with.
    /// - Returns: The same, or Basic where the platform supports nothing else.
    package func authentication(configured: Authentication) -> Authentication {
        switch self.entry.authentication {
        case .asConfigured: configured
        case .alwaysBasic: .basic
        }
    }

    /// The documented path: absolute, version included, for every host.
    ///
    /// - Parameter apiKey: A part of the path of the alias request; checked by
    ///   ``WorkspaceCredentials/check(for:)`` before.
    /// - Returns: The path.
    package func path(apiKey: String) -> String {
        let segments = self.entry.path.split(separator: "/").map { segment in
            switch (segment, self) {
            case ("{apiKey}", _): apiKey
            case ("{mpid}", .modify(let mpid)): mpid.description
            default: String(segment)
            }
        }
        return "/" + segments.joined(separator: "/")
    }
}

/// A part of the platform with a host of its own.
package enum Service: Sendable, Hashable, CaseIterable {
    /// IDSync HTTP API: identify, login, logout, search, modify.
    case identity
    /// The alias request, on the host of the vendors' own SDKs.
    case alias
    /// Events API v2.
    case events
}

/// The method by which a request authenticates (IDSync HTTP API, "Authentication").
///
/// The Events API supports only Basic; its routes ignore the configured method.
package enum Authentication: Sendable, Hashable {
    /// The key in `x-mp-key`, and an HMAC-SHA256 digest of date, path and body in `x-mp-signature`.
    case hmac
    /// Key and secret in `Authorization`.
    case basic
    /// The key in `x-mp-key` and nothing else; the platform enables it for few workspaces.
    case keyOnly
}

/// The base URLs of the services of a workspace.
///
/// The defaults are the hosts of the workspace's pod, which the API key names. One custom base URL, of an emulator or of
/// a CNAME, carries the documented paths of all services and takes precedence over the overrides.
package struct ServiceHosts: Sendable {
    private static let defaultPod = "us1"

    private let bases: [Service: String]

    package init(apiKey: String, customBaseURL: ServerURL? = nil, overrides: [Service: ServerURL] = [:]) {
        let pod = Self.pod(of: apiKey)
        var bases: [Service: String] = [:]
        for service in Service.allCases {
            bases[service] =
                (customBaseURL ?? overrides[service])?.text
                ?? "https://\(Self.hostName(of: service)).\(pod).mparticle.com"
        }
        self.bases = bases
    }

    /// The absolute URL of a route.
    package func url(for route: Route, apiKey: String) -> String {
        self.bases[route.service, default: ""] + route.path(apiKey: apiKey)
    }

    private static func hostName(of service: Service) -> String {
        switch service {
        case .identity: "identity"
        case .alias: "nativesdks"
        case .events: "s2s"
        }
    }

    // The pod becomes a part of a host name: a value that is not a plain label is ignored.
    private static func pod(of apiKey: String) -> String {
        guard let dash = apiKey.utf8.firstIndex(of: UInt8(ascii: "-")) else { return Self.defaultPod }
        let pod = apiKey[..<dash]
        let isLabel = pod.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        return isLabel && !pod.isEmpty ? String(pod) : Self.defaultPod
    }
}
