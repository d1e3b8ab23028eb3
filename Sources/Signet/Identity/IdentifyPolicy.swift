// SPDX-License-Identifier: Apache-2.0

/// The identify request that opening an installation sends automatically.
public enum IdentifyPolicy: Sendable {
    /// Identifies once per process and installation, with the last user's identities: the documented behaviour.
    case oncePerProcess
    /// Identifies at each open without a user and without an identify under way.
    ///
    /// For servers, which open an installation per request.
    case ifUnknown
    /// Identifies once per process and installation, with this request.
    case request(IdentityRequest)
    /// Sends no request.
    case none

    /// The call to make, if any.
    func call(isLaunch: Bool, hasUser: Bool) -> IdentityCall? {
        switch self {
        case .none: nil
        case .oncePerProcess: isLaunch ? .start(nil) : nil
        case .request(let request): isLaunch ? .start(request) : nil
        case .ifUnknown: hasUser ? nil : .startIfUnknown
        }
    }
}
