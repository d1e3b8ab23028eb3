// SPDX-License-Identifier: Apache-2.0

/// The cause of an outcome that stays unknown: a repetition asks in vain.
struct HiddenOutcome: Error {}

extension SignetError {
    /// An error of the shared store.
    init(_ error: SharedStoreError) {
        let reason = error.message.asSentence
        switch error.code {
        case .unreachable:
            self.init(
                .storeUnreachable,
                "The shared store is not reached: \(reason) Nothing was changed.",
                remedy: Remedy.storeAway,
                cause: error
            )
        case .outcomeUnknown:
            self.init(
                .outcomeUnknown,
                "The answer of the shared store was lost: \(reason)",
                cause: error
            )
        case .locked:
            self.init(
                .storeBusy,
                "The shared store has locked the row: \(reason) Nothing was changed.",
                remedy: "Try again, and see which transaction stays open.",
                cause: error
            )
        case .busy:
            self.init(
                .storeBusy,
                "The shared store has too much to do: \(reason) Nothing was changed.",
                remedy: "Try again, or give the store of `FleetConfiguration` more connections.",
                cause: error
            )
        case .newerFormat, .workspaceMismatch:
            // About the tables, and their message says what to do: nothing is wrong with the directory.
            self.init(
                error.code == .newerFormat ? .newerFormat : .workspaceMismatch,
                "The shared store cannot be used: \(reason)",
                cause: error
            )
        case .directoryInUse: self.init(.directoryInUse, reason, cause: error)
        case .cancelled:
            self.init(.cancelled, "The calling task was cancelled. The change may have happened.", cause: error)
        case .invalidArgument:
            self.init(.storeFailed, "The shared store was asked for what it does not do: \(reason)", cause: error)
        case .schemaMissing, .olderFormat, .notPermitted, .secureConnectionFailed, .failed:
            self.init(
                .storeFailed,
                "The shared store cannot be used: \(reason)",
                remedy: Remedy.storeRefuses,
                cause: error
            )
        }
    }

    /// True if the store is away, or refuses for a time: with ``FleetConfiguration/Unreachable/logOnly`` opens go on meanwhile.
    ///
    /// False for a store of another workspace or another format: it was never usable.
    var isOutageOfStore: Bool {
        switch self.code {
        case .storeUnreachable, .storeBusy, .outcomeUnknown: true
        case .storeFailed:
            switch (self.cause as? SharedStoreError)?.code {
            case .olderFormat, .invalidArgument: false
            default: true
            }
        default: false
        }
    }

    static let storeOutcomeUnknown = SignetError(
        .outcomeUnknown,
        "The answer of the shared store was lost, and the row does not say if the change was made. Call `refresh()`."
    )

    /// The same where no later reading tells it: the row has forgotten the tags of that time.
    static let storeOutcomeHidden = SignetError(
        .outcomeUnknown,
        Self.storeOutcomeUnknown.message,
        cause: HiddenOutcome()
    )

    static let storeBusy = SignetError(
        .storeBusy,
        "Other replicas changed the installation each time that this one tried to. Nothing was changed. Try again."
    )

    /// The error of an erasure that is on record, and that the store has cut short if this is an error of a store that is away.
    static func erasureNoted(_ error: SignetError) -> SignetError {
        switch error.code {
        case .storeUnreachable, .storeBusy, .outcomeUnknown:
            SignetError(
                .outcomeUnknown,
                "The erasure is noted. It is finished when the store is back. Another `eraseUser` waits for that.",
                cause: error
            )
        default: error
        }
    }

    static let superseded = SignetError(
        .superseded,
        "Another replica has taken over the identity call of this installation. Call `refresh()` for its answer."
    )

    /// The call is not there yet for installations in a shared store.
    static func notShared(_ call: String) -> SignetError {
        SignetError(
            .invalidConfiguration,
            "\(call) does not work with a shared store in this version: leave `SignetConfiguration.fleet` nil to use it."
        )
    }
}
