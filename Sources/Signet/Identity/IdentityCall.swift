// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

/// One identity call with checked arguments, as the state machine gets it.
enum IdentityCall: Sendable, Hashable {
    /// A call of identify, login or logout.
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

    /// Resolves the request to a user and makes them current.
    case transition(Transition, IdentityRequest)
    /// Identifies at the start, with the request of `open`, or with the last user's identities as of then.
    case start(IdentityRequest?)
    /// Identifies because there is no user, with the request of `open` if it had one; does nothing if there is a user by then.
    case startIfUnknown(IdentityRequest?)
    /// Changes identities of a user: the one that the request names, or the current one at the call.
    case modify(IdentityRequest)
    /// Searches for a user.
    case search(IdentityRequest)
    /// Sends a changed push token to the platform.
    case pushToken

    /// True if Signet makes this call itself; such a call refuses no call of the app.
    var isOwn: Bool {
        switch self {
        case .start, .startIfUnknown, .pushToken: true
        case .transition, .modify, .search: false
        }
    }

    /// Makes the checks that do not need the platform.
    func validate() throws(SignetError) {
        switch self {
        case .search(let request) where request.values.isEmpty:
            throw SignetError(.invalidArgument, "A search needs at least one identity.")
        case .transition(.login, let request) where request.values.keys.allSatisfy(\.isDevice):
            throw SignetError(
                .invalidArgument,
                "The login has no identity of a user with a value, so the platform would log the user out. Call `logout()` "
                    + "for that; an identity of the device alone is set with `setDeviceIdentity` or `modify`."
            )
        case .transition(_, let request), .modify(let request), .search(let request): try request.validate()
        case .start, .startIfUnknown, .pushToken: break
        }
    }
}

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
