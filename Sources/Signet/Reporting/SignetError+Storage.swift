// SPDX-License-Identifier: Apache-2.0

import SignetJournal

extension SignetError {
    /// Converts an error of the storage.
    init(_ error: StorageError) {
        let code: Code =
            switch error.code {
            case .diskFull: .diskFull
            case .locked: .directoryInUse
            case .newerFormat: .newerFormat
            case .directoryUnusable, .olderFormat: .directoryUnusable
            case .tooLarge: .invalidArgument
            case .limitReached: .limitReached
            case .closed: .notRunning
            default: .diskFailed
            }
        let remedy: String? =
            switch code {
            case .limitReached: Remedy.room
            case .notRunning: "Make another `SignetRuntime`."
            default: nil
            }
        self.init(code, error.message, remedy: remedy, cause: error)
    }
}
