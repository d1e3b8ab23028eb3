// SPDX-License-Identifier: Apache-2.0

/// The identify request that opening an installation sends automatically.
public enum IdentifyPolicy: Sendable {
    /// Identifies once per process and installation, with the last user's identities: the behaviour that the vendor
    /// documents for apps.
    case oncePerProcess
    /// Identifies at each open without a user and without an identify under way.
    ///
    /// For servers, which open an installation per request. After a failure the opens of that installation send
    /// nothing for 5 s, then 15, 60, 120 and 300 s, up to a fifth more, or for the time that the platform asks for.
    /// Meanwhile ``Installation/initialIdentifyResult()`` throws the failure's code. ``Installation/identify(_:whenBusy:retry:)``
    /// and ``Installation/login(_:whenBusy:retry:)`` do not wait.
    case ifUnknown
    /// Identifies once per process and installation, with this request.
    case request(IdentityRequest)
    /// Sends no request.
    case none

    /// Makes the policy of the configuration.
    init(_ configured: SignetConfiguration.Identity.AtOpen) {
        self =
            switch configured {
            case .ifUnknown: .ifUnknown
            case .oncePerProcess: .oncePerProcess
            case .none: .none
            }
    }

    /// The identify that the runtime owes to events without a user; nil if the app decides.
    var pending: PendingIdentify? {
        switch self {
        case .oncePerProcess, .ifUnknown: .asKnown
        case .request(let request): .request(request)
        case .none: nil
        }
    }

    /// True for ``ifUnknown``.
    var isIfUnknown: Bool {
        if case .ifUnknown = self { true } else { false }
    }

    /// True if it identifies once per process and installation.
    var isOnce: Bool {
        switch self {
        case .oncePerProcess, .request: true
        case .ifUnknown, .none: false
        }
    }

    /// The call to make, if any.
    ///
    /// - Parameters:
    ///   - isLaunch: True for the first open of the app's launch.
    ///   - hasUser: True if a user is known.
    ///   - isPaused: True if the last automatic identify failed and its pause lasts.
    /// - Returns: The call; nil for none.
    func call(isLaunch: Bool, hasUser: Bool, isPaused: Bool) -> IdentityCall? {
        switch self {
        case .none: nil
        case .oncePerProcess: isLaunch ? .start(nil) : nil
        case .request(let request): isLaunch ? .start(request) : nil
        case .ifUnknown: hasUser || isPaused ? nil : .startIfUnknown(nil)
        }
    }
}
