// SPDX-License-Identifier: Apache-2.0

public import SignetModel

extension Installation {
    /// Changes attributes and consent of a user together: one write, all or nothing.
    ///
    /// ```swift
    /// try await installation.withUser { user in
    ///     user["tier"] = "gold"
    ///     user["trial"] = nil
    ///     user.increment("visits")
    ///     user.consent.gdpr["newsletter"] = Consent(true)
    /// }
    /// ```
    ///
    /// The changes are persisted before the call returns; it works without `run()`. Each attribute that really changes is
    /// logged as an event of that user, in the order of the changes. The user is chosen at the call: a login meanwhile
    /// does not move the changes to another user.
    ///
    /// The closure sees the user as of now, and holds no lock. If something else changes the user meanwhile, the closure
    /// runs again on the newer data. So it should change nothing but the editor.
    ///
    /// - Parameters:
    ///   - mpid: The user's MPID; nil for the current user at the call.
    ///   - change: Makes the changes.
    /// - Returns: The value that the last run of the closure returned.
    /// - Throws: `noUser` before the first user, and for one who was never here. `invalidArgument` for the first change
    ///   beyond a limit (``setAttribute(_:for:of:)``, ``setConsent(_:of:)``). `limitReached`; `optedOut` if an attribute
    ///   would change; `closed`, `diskFull`, `diskFailed`, `notRunning` after the end of the runtime. After an error
    ///   nothing was changed.
    @discardableResult
    public func withUser<Result>(
        _ mpid: MPID? = nil,
        _ change: (inout UserEditor) -> Result
    ) async throws(SignetError) -> Result {
        let directory = self.core.identityState.directory
        guard let target = mpid ?? directory.current else { throw .noUserYet }
        let latest = self.core.latestConsent(of: target)
        guard var current = UserEditor(of: target, in: directory, latest) else { throw .noUser }
        while true {
            let (editor, result) = try current.changed(change)
            guard let newer = try await self.core.save(editor) else { return result }
            current = newer
        }
    }
}

extension InstallationCore {
    /// Saves the changes of an editor.
    ///
    /// - Returns: Nil if they are saved; an editor of the user as of now if the user was changed meanwhile.
    nonisolated(nonsending) fileprivate func save(_ editor: UserEditor) async throws(SignetError) -> UserEditor? {
        if let shared = self.store.shared { return try await self.save(editor, in: shared) }
        let consents = self.context.consents
        return try await self.commit { machine, transaction throws(SignetError) in
            try machine.save(editor, in: consents, &transaction)
        }
    }
}

extension SignetError {
    fileprivate static let noUserYet = SignetError(
        .noUser,
        "The installation has no user yet. Await `initialIdentifyResult()`, or call `identify()` or `login(_:)` first."
    )
}
