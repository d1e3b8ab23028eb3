//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetTransport

/// One thing that a request can ask of Iterable (Iterable API).
package enum IterableRoute: String, Sendable, Hashable, CaseIterable {
    /// The criteria of the project.
    case criteria = "unknownuser/list"
    /// To make an unknown user.
    case session = "unknownuser/events/session"
    /// To note consent.
    case consent = "unknownuser/consent"
    /// To make one user of two.
    case merge = "users/merge"
    /// To take a custom event.
    case trackEvent = "events/track"
    /// To take a purchase.
    case trackPurchase = "commerce/trackPurchase"
    /// To take what is in a cart.
    case updateCart = "commerce/updateCart"
    /// To change the fields of a user.
    case updateUser = "users/update"
    /// To change the address of a user.
    case updateEmail = "users/updateEmail"
    /// To note a push token.
    case registerDevice = "users/registerDeviceToken"
    /// To forget a push token.
    case disableDevice = "users/disableDevice"
    /// What clients are told from afar.
    case remoteConfiguration = "mobile/getRemoteConfiguration"

    /// The name for errors, observers and throttling.
    package var name: String {
        self.rawValue
    }

    /// The path below the base URL of the service.
    package var path: String {
        "/" + self.rawValue
    }

    /// The HTTP method.
    package var method: TransportRequest.Method {
        switch self {
        case .criteria, .remoteConfiguration: .get
        default: .post
        }
    }

    /// Whether a project with tokens refuses the request without one.
    ///
    /// A token that is held goes with every request; the others are not worth waiting for one.
    package var needsToken: Bool {
        switch self {
        case .trackEvent, .trackPurchase, .updateCart, .updateUser, .updateEmail, .registerDevice: true
        case .criteria, .session, .consent, .merge, .disableDevice, .remoteConfiguration: false
        }
    }
}
