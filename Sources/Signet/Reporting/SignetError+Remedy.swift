// SPDX-License-Identifier: Apache-2.0

import SignetWire

// A remedy belongs to the throw: one code has many causes.
extension SignetError.Code {
    /// The remedies of codes whose throws all have the same; names are in backticks.
    static let remedies: [SignetError.Code: String] = [
        .serviceNotConfigured: "Add the service to the argument `services` of `SignetRuntime`.",
        .requestInProgress: "Pass `whenBusy: .wait(upTo:)` to wait for the other call.",
        .optedOut: "If the person agrees, call `setOptedOut(false)` first.",
        .noUser: "Call `identify()` or `login(_:)` first, or take a user of `allUsers`.",
        .noSession: "Call `beginSession()` first.",
        .closed: "Call `open(_:)` for another handle.",
        .alreadyRunning: "Call `run()` once for each `SignetRuntime`.",
        .superseded: "Call `refresh()` to read what the other replica has found.",
    ]
}

/// The remedies of throws with the same cause in several places.
enum Remedy {
    /// A setting of the configuration cannot work.
    static let settings = "Change these settings of `SignetConfiguration`, then make the runtime again."
    /// The events that wait need all of their room.
    static let room =
        "Raise `events.storage.maximumBytes`, or set `events.storage.whenFull` to `.dropOldest`; "
        + "`upload(within:)` makes room."
    /// Uploads pause by themselves.
    static let pause = "Delivery goes on by itself after `retryAfter`; then `upload(within:)` waits for it again."
    /// The store that replicas share is away.
    static let storeAway =
        "Check the store of `FleetConfiguration`; with `whenUnreachable: .logOnly` opens and events go on meanwhile."
    /// The store that replicas share refuses a call.
    static let storeRefuses = "Check the store of `FleetConfiguration`, a PostgreSQL with `signet store check`."

    /// The remedy of an event that `log` refused.
    static func ofEvent(_ code: SignetError.Code) -> String? {
        switch code {
        case .invalidArgument: "`logIfPossible(_:)` counts a refused event and does not throw."
        case .diskFull, .diskFailed: "With `events.storage.onDiskFailure` events wait in memory."
        default: nil
        }
    }

    /// The remedy of a folder that a runtime cannot use as its directory.
    static func ofDirectory(_ code: SignetError.Code) -> String? {
        switch code {
        case .directoryInUse:
            "Give each runtime a `directory` of its own, or end the other one with `shutdown(within:)`."
        case .directoryUnusable: "Set `directory` to a folder that this user alone may write to."
        case .newerFormat: "Run the version of Signet that wrote it, or set `directory` to another folder."
        default: nil
        }
    }

    /// The remedy of a request to the platform that got no answer, or an answer that is a failure.
    ///
    /// - Parameters:
    ///   - code: The code of the failure.
    ///   - route: The endpoint: only identity calls take a `RetryPolicy`; events and aliases are sent again by the runtime.
    /// - Returns: The remedy; nil if only waiting helps.
    static func ofRequest(_ code: SignetError.Code, to route: Route) -> String? {
        let isCall = route.isIdentityCall
        let again = isCall ? "; pass a `RetryPolicy` to try again." : "."
        switch code {
        case .timedOut:
            return isCall
                ? "Pass a `RetryPolicy` to try again, or raise `identity.requestTimeout`."
                : "Raise `events.requestTimeout` if the network is slow."
        case .notSent:
            return isCall ? "Raise `identity.maximumInFlight`, or pass a `RetryPolicy` to try again." : nil
        case .notConnected: return "Check the network, `baseURL` and `endpoints`\(again)"
        case .secureConnectionFailed:
            return "Check the certificate of the host in `baseURL` or `endpoints`; "
                + "`AsyncHTTPClientTransport(sharing:)` takes a client with a root certificate of your own."
        case .transportFailed:
            return isCall
                ? "`cause` has the error of the transport; a `RetryPolicy` does not repeat it."
                : "`cause` has the error of the transport."
        case .unauthorized: return "Check `apiKey`, `secret`, `authentication` and the clock of this machine."
        case .throttled: return isCall ? "Wait for `retryAfter`, or pass a `RetryPolicy`." : nil
        case .serverFailure: return isCall ? "Pass a `RetryPolicy` to try again." : nil
        case .unexpectedAnswer: return "Check `baseURL`, `endpoints` and any proxy in between."
        case .invalidConfiguration: return Self.settings
        default: return nil
        }
    }
}

extension Route {
    /// True for a call that the app makes and that takes a `RetryPolicy`.
    fileprivate var isIdentityCall: Bool {
        switch self {
        case .identify, .login, .logout, .search, .modify: true
        case .alias, .events, .bulkEvents: false
        }
    }
}
