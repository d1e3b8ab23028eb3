//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

/// One identity call, arguments checked, as the machine sees it.
enum IdentityCall: Sendable, Hashable {
    /// identify, login or logout.
    enum Transition: Sendable, Hashable {
        case identify
        case login
        case logout

        /// The endpoint.
        var route: Route {
            switch self {
            case .identify: .identify
            case .login: .login
            case .logout: .logout
            }
        }
    }

    /// Resolve to a user and make it current.
    case transition(Transition, IdentityRequest)
    /// Identify at the start: the request of `open`, or the last user's identities as of then.
    case start(IdentityRequest?)
    /// Identify because nobody is known, unless somebody is by then.
    case startIfUnknown
    /// Change identities of a user, the one current at the call unless the request names one.
    case modify(IdentityRequest)
    /// Look somebody up.
    case search(IdentityRequest)
    /// Tell the platform of a changed push token.
    case pushToken

    /// Whether Signet makes this call by itself; such a call refuses no call of the app.
    var isOwn: Bool {
        switch self {
        case .start, .startIfUnknown, .pushToken: true
        case .transition, .modify, .search: false
        }
    }
}
