//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What opening an installation asks the platform by itself.
public enum IdentifyPolicy: Sendable {
    /// Identifies once per process and installation, with the last user's identities: the documented behaviour.
    case oncePerProcess
    /// Identifies whenever the installation has no user yet and is not asking already: for servers, which open an
    /// installation per request.
    case ifUnknown
    /// Identifies once per process and installation, with this request.
    case request(IdentityRequest)
    /// Asks nothing.
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
