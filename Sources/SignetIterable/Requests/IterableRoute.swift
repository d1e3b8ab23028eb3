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
    /// Fetches the remote configuration of clients.
    case remoteConfiguration = "mobile/getRemoteConfiguration"

    /// The name for errors, observers and throttling.
    var name: String {
        self.rawValue
    }

    /// The path below the base URL of the service.
    var path: String {
        "/" + self.rawValue
    }

    /// The HTTP method.
    var method: TransportRequest.Method {
        switch self {
        case .criteria, .remoteConfiguration: .get
        default: .post
        }
    }

    /// True for a route that a project with tokens refuses without one.
    ///
    /// A held token goes with every request. The other routes do not wait for one.
    var needsToken: Bool {
        switch self {
        case .trackEvent, .trackPurchase, .updateCart, .updateUser, .updateEmail, .registerDevice: true
        case .criteria, .session, .consent, .merge, .disableDevice, .remoteConfiguration: false
        }
    }
}
