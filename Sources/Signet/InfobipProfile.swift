//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
public import SignetModel

/// The person and the installation behind an installation, as Infobip knows them.
///
/// Changes are explicit: what is not touched stays. What is saved is written down before it is sent, survives the death of the
/// process, and is sent in order; nothing of one person is ever sent for another. ``SignetRuntime/run()`` performs the
/// requests, one at a time for each installation.
///
/// Errors of all calls: `invalidConfiguration` where no profiles are configured; `invalidArgument` with all broken limits
/// (``InfobipViolations``), before anything is stored or sent; `optOut`, `closed`; `diskFull`, `diskFailed`, then nothing has
/// happened; `cancelled`, when what was begun goes on. Those that need the service also throw `notRunning`,
/// `notRegistered`, `tokenUnavailable`, and what became of the request: `refused` carries the service's `messageId` and text
/// as ``SignetError/errors``; `timedOut`, `notConnected`, `serverFailure` and the like say that it may be tried again.
public struct InfobipProfile: Sendable {
    let core: InstallationCore

    /// The person, with all changes that were saved here.
    ///
    /// One that nothing is known of before the first answer, and after a depersonalize.
    public var user: InfobipUser {
        self.snapshot?.user ?? InfobipUser()
    }

    /// The installation, with all changes that were saved here, and on what the app says now that it runs.
    public var installation: InfobipInstallation {
        self.snapshot?.installation ?? InfobipInstallation()
    }

    /// Whether a depersonalize waits for the service: nothing can be fetched or saved of a person until then.
    public var isDepersonalizationPending: Bool {
        self.snapshot?.isDepersonalizationPending ?? false
    }

    /// Whether anything that was saved here has not reached the service yet.
    public var hasPendingChanges: Bool {
        self.snapshot?.hasPendingChanges ?? false
    }

    /// What happens to the profile, from now on.
    public var changes: Updates<InfobipUpdate> {
        Updates<InfobipUpdate>(self.core.services.infobipUpdates, of: self.core.id)
    }

    /// Waits until the installation is registered, which takes a push token.
    ///
    /// It waits as long as there is no push token, or no network; cancel it when that is too long.
    ///
    /// - Returns: The id that the service gave it.
    /// - Throws: `unauthorized`, `refused` when the service does not take the application code or the installation; see
    ///   ``InfobipProfile``.
    public func registration() async throws(SignetError) -> String {
        let manager = try self.manager()
        if let id = self.installation.pushRegistrationID { return id }
        _ = try await manager.perform(.awaitRegistration)
        guard let id = self.installation.pushRegistrationID else { throw .notRegistered }
        return id
    }

    // MARK: - Inside

    func perform(_ call: InfobipCall) async throws(SignetError) -> InfobipSaveResult {
        try await self.manager().perform(call)
    }

    func manager() throws(SignetError) -> InfobipManager {
        guard self.core.phase == .open else { throw .closed }
        guard !self.core.identityState.isOptedOut else { throw .optOut }
        return try self.core.infobipManager()
    }

    private var snapshot: InfobipManager.Snapshot? {
        guard self.core.services.infobip != nil else { return nil }
        do throws(SignetError) {
            return try self.core.infobipManager().snapshot.withLock { $0 }
        } catch {
            self.core.services.reportDamage("The profile of an installation cannot be read: \(error.message)")
            return nil
        }
    }
}
