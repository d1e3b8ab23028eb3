// SPDX-License-Identifier: Apache-2.0

extension SignetError {
    /// An error of the shared store.
    init(_ error: SharedStoreError) {
        switch error.code {
        case .unreachable:
            self.init(
                .storeUnreachable,
                "The shared store is not reached. Nothing was changed. \(error.message)",
                cause: error
            )
        case .outcomeUnknown:
            self.init(.outcomeUnknown, "The answer of the shared store was lost. \(error.message)", cause: error)
        case .locked:
            self.init(
                .storeBusy,
                "The shared store has locked the row. Nothing was changed. Try again. \(error.message)",
                cause: error
            )
        case .busy: self.init(.storeBusy, "Too many calls wait for the shared store. \(error.message)", cause: error)
        case .newerFormat: self.init(.newerFormat, error.message, cause: error)
        case .workspaceMismatch: self.init(.workspaceMismatch, error.message, cause: error)
        case .directoryInUse: self.init(.directoryInUse, error.message, cause: error)
        case .cancelled:
            self.init(.cancelled, "The calling task was cancelled. The change may have happened.", cause: error)
        case .schemaMissing, .olderFormat, .notPermitted, .secureConnectionFailed, .invalidArgument, .failed:
            self.init(.storeFailed, "The shared store cannot be used: \(error.message)", cause: error)
        }
    }

    static let storeOutcomeUnknown = SignetError(
        .outcomeUnknown,
        "The answer of the shared store was lost, and the row does not say if the change was made. Call `refresh()`."
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
