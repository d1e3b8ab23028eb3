// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

/// The request to send for a call, decided when its turn comes.
enum IdentityPlan: Sendable, Hashable {
    /// A request to `identify`, `login` or `logout`.
    case transition(
        IdentityCall.Transition,
        known: [IdentityType: String],
        previous: MPID?,
        context: String?,
        request: IdentityRequest
    )
    /// A request to `modify` this user.
    case modify(MPID, [IdentityChange], request: IdentityRequest?)
    /// A request to `search`.
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
