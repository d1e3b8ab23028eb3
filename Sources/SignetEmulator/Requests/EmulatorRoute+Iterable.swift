//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

extension EmulatorRoute {
    /// Whether Iterable's API answers; its paths are the names of its routes.
    var isIterable: Bool {
        self.rawValue.contains("/")
    }

    /// The only method that the path takes.
    var method: TransportRequest.Method {
        switch self {
        case .criteria, .remoteConfiguration, .fetchInstallation, .fetchPerson, .baseURL: .get
        case .updateInstallation, .updatePerson: .patch
        case .expireInstallation: .delete
        default: .post
        }
    }

    /// Whether a project that asks for tokens asks for one here (classification of endpoints in the vendor's clients).
    var needsToken: Bool {
        switch self {
        case .trackEvent, .trackPurchase, .updateCart, .updateUser, .updateEmail, .registerDevice: true
        default: false
        }
    }
}
