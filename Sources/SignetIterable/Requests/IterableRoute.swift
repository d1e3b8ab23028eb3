// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A request that Iterable answers (Iterable API).
enum IterableRoute: String, Sendable, Hashable, CaseIterable {
    /// Fetches the criteria of the project.
    case criteria = "unknownuser/list"
    /// Makes an unknown user.
    case session = "unknownuser/events/session"
    /// Records consent.
    case consent = "unknownuser/consent"
    /// Merges two users.
    case merge = "users/merge"
    /// Tracks a custom event.
    case trackEvent = "events/track"
    /// Tracks a purchase.
    case trackPurchase = "commerce/trackPurchase"
    /// Tracks the content of a cart.
    case updateCart = "commerce/updateCart"
    /// Changes the fields of a user.
    case updateUser = "users/update"
    /// Changes the address of a user.
    case updateEmail = "users/updateEmail"
    /// Registers a push token.
    case registerDevice = "users/registerDeviceToken"
    /// Removes a push token.
    case disableDevice = "users/disableDevice"

    /// The name for errors, observers and throttling.
    var name: String {
        self.rawValue
    }

    /// The path below the address of the service, for reports.
    var template: String {
        "/" + self.rawValue
    }

    /// The HTTP method.
    var method: TransportRequest.Method {
        self == .criteria ? .get : .post
    }

    /// True if the service may receive a request twice without harm: the fetch of criteria, and records with an id.
    var isRepeatable: Bool {
        switch self {
        case .criteria, .trackEvent, .trackPurchase: true
        default: false
        }
    }
}

/// The address of a project's Iterable service.
struct IterableServer: Sendable, Hashable {
    private let base: String

    private init(base: String) {
        self.base = base
    }

    /// A server of your own, such as an emulator.
    ///
    /// The documented paths follow its address, without `/api`.
    init(_ url: ServerURL) {
        self.base = url.text
    }

    /// The United States data centre, the default for projects.
    static let unitedStates = IterableServer(base: "https://api.iterable.com/api")
    /// The European data centre.
    static let europe = IterableServer(base: "https://api.eu.iterable.com/api")

    /// The absolute URL of a route.
    func url(for route: IterableRoute) -> String {
        self.base + "/" + route.rawValue
    }
}
