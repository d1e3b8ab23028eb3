// SPDX-License-Identifier: Apache-2.0

extension SignetError {
    /// The setting or the call that mends errors of this code; nil for a code of a service.
    ///
    /// ``description`` has it, unless the message names one itself.
    public var remedy: String? {
        Code.remedies[self.code]
    }
}

extension SignetError.Code {
    /// One for each code of this module; names are in backticks.
    static let remedies: [SignetError.Code: String] = Self.remediesOfCalls
        .merging(Self.remediesOfTheWire) { first, _ in first }
        .merging(Self.remediesOfTheDisk) { first, _ in first }
        .merging(Self.remediesOfTheStore) { first, _ in first }

    private static let remediesOfCalls: [SignetError.Code: String] = [
        .invalidArgument:
            "The call documents its limits; `logIfPossible(_:)` counts a refused event and does not throw.",
        .invalidConfiguration: "Change these settings of `SignetConfiguration`, then make the runtime again.",
        .serviceNotConfigured: "Add the service to the argument `services` of `SignetRuntime`.",
        .requestInProgress: "Pass `whenBusy: .wait(upTo:)` to wait for the other call.",
        .optedOut: "If the person agrees, call `setOptedOut(false)` first.",
        .noUser: "Call `identify()` or `login(_:)` first, or take a user of `allUsers`.",
        .noSession: "Call `beginSession()` first.",
        .closed: "Call `open(_:)` for another handle.",
        .notRunning: "Call `run()` in a task of its own, or use `withSignet`.",
        .alreadyRunning: "Call `run()` once for each `SignetRuntime`.",
        .cancelled: "`userChanges()` tells what a request that was sent has changed.",
        .limitReached: "Raise `events.storage.maximumBytes`, or set `events.storage.whenFull` to `.dropOldest`; "
            + "`upload(within:)` makes room.",
        .tokenUnavailable: "Set a `TokenProvider` of the service that returns a token.",
    ]

    private static let remediesOfTheWire: [SignetError.Code: String] = [
        .timedOut: "Pass a `RetryPolicy` to try again, or raise `identity.requestTimeout`, `events.requestTimeout` or "
            + "the limit of the call.",
        .notConnected: "Check the network, `baseURL` and `endpoints`; pass a `RetryPolicy` to try again.",
        .secureConnectionFailed: "Check the certificate of the host in `baseURL` or `endpoints`; "
            + "`AsyncHTTPClientTransport(sharing:)` takes a client with a root certificate of your own.",
        .transportFailed: "`cause` has the error of the transport; a `RetryPolicy` does not repeat it.",
        .unauthorized: "Check `apiKey`, `secret`, `authentication` and the clock of this machine.",
        .throttled: "Wait for `retryAfter`, or pass a `RetryPolicy`.",
        .rejected: "Change the request as `errors` says.",
        .serverFailure: "Pass a `RetryPolicy` to try again.",
        .unexpectedAnswer: "Check `baseURL`, `endpoints` and any proxy in between.",
        .uploadPaused: "Delivery goes on by itself after `retryAfter`; then `upload(within:)` waits for it again.",
    ]

    private static let remediesOfTheDisk: [SignetError.Code: String] = [
        .diskFull: "Make room on the disk of `directory`; with `events.storage.onDiskFailure` events wait in memory.",
        .diskFailed: "Check the disk of `directory`; with `events.storage.onDiskFailure` events wait in memory.",
        .directoryInUse: "Give each runtime a `directory` of its own, or end the other one with `shutdown(within:)`.",
        .directoryUnusable: "Set `directory` to a folder that this user alone may write to.",
        .newerFormat: "Run the version of Signet that wrote it, or set `directory` to another folder.",
        .workspaceMismatch: "Set `directory` to a folder of its own for each `apiKey`.",
    ]

    private static let remediesOfTheStore: [SignetError.Code: String] = [
        .storeUnreachable: "Check the store of `FleetConfiguration`; with `whenUnreachable: .logOnly` opens and events "
            + "go on meanwhile.",
        .storeBusy: "Try again, or give the store of `FleetConfiguration` more connections.",
        .outcomeUnknown: "Call `refresh()` to read what holds.",
        .superseded: "Call `refresh()` to read what the other replica has found.",
        .storeFailed: "Check the store of `FleetConfiguration`, a PostgreSQL with `signet store check`.",
    ]
}
