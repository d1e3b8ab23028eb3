//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel

/// Keeps the profile of one installation, and tells the service of it as its machine decides.
actor ProfileManager {
    /// What is read without waiting for the actor.
    struct Snapshot: Sendable {
        var user = UserProfile()
        var installation = InstallationProfile()
        var isDepersonalizationPending = false
        var hasPendingChanges = false
    }

    nonisolated let installation: InstallationID
    nonisolated let snapshot = Locked(Snapshot())

    init(installation: InstallationID) {
        self.installation = installation
    }

    /// Performs a call, and waits for what becomes of it.
    func perform(_ call: ProfileCall) async throws(SignetError) -> ProfileOutcome { throw .notRegistered }

    func setPushToken(_ token: ProfilePushToken?, isRestored: Bool) async throws(SignetError) {}
    func expire(_ registration: String) async throws(SignetError) {}
    func queue(_ element: [UInt8]) async throws(SignetError) {}
    func setActive(_ isActive: Bool) async throws(SignetError) {}
    func retry() async throws(SignetError) {}
    func awaitRun() async throws(SignetError) {}
    func untilSettled() async {}
    func resume() async {}
}
