// SPDX-License-Identifier: Apache-2.0

import SignetTransport

extension EmulatorRoute {
    /// True for the routes of Iterable's API; their raw values are its paths.
    var isIterable: Bool {
        self.rawValue.contains("/")
    }

    /// The only method that the path accepts.
    var method: TransportRequest.Method {
        switch self {
        case .criteria, .remoteConfiguration, .fetchInstallation, .fetchPerson, .baseURL: .get
        case .updateInstallation, .updatePerson: .patch
        case .expireInstallation: .delete
        default: .post
        }
    }

    /// True if a project with tokens requires one here (classification of endpoints in the vendor's clients).
    var needsToken: Bool {
        switch self {
        case .trackEvent, .trackPurchase, .updateCart, .updateUser, .updateEmail, .registerDevice: true
        default: false
        }
    }
}
