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
}

extension Route {
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

    /// The HTTP method.
    package var method: TransportRequest.Method {
        self.entry.method
    }

    /// The service whose host serves the route.
    package var service: Service {
        self.entry.service
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
