//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

/// What to send for a call, decided when its turn came.
enum IdentityPlan: Sendable, Hashable {
    /// To `identify`, `login` or `logout`.
    case transition(
        IdentityCall.Transition,
        known: [IdentityType: String],
        previous: MPID?,
        context: String?,
        request: IdentityRequest
    )
    /// To `modify`, for this user.
    case modify(MPID, [IdentityChange], request: IdentityRequest?)
    /// To `search`.
    case search(known: [IdentityType: String])

    /// The endpoint.
    var route: Route {
        switch self {
        case .transition(let transition, _, _, _, _): transition.route
        case .modify(let mpid, _, _): .modify(mpid)
        case .search: .search
        }
    }
}
