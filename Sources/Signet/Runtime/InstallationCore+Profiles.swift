//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

extension InstallationCore {
    /// The manager of the profile; made at first use, and shared with whatever other object of this id there was.
    func profileManager() throws(SignetError) -> ProfileManager {
        guard let profiles = self.services.profiles else {
            throw SignetError(.invalidConfiguration, "No profiles are configured: set SignetConfiguration.profiles.")
        }
        let (known, state, isReset) = self.state.withLock { ($0.profile, $0.identity, $0.isReset) }
        if let known { return known }
        // The id is of another installation now.
        guard !isReset else { throw .closed }
        let (id, registry) = (self.id, self.registry)
        let manager = try profiles.managers.manager(of: self.id) { () throws(SignetError) in
            try ProfileManager(
                installation: id,
                universalID: state.deviceApplicationStamp.uuidString,
                store: self.profileStore,
                services: profiles,
                // Not in memory: it was opened, and had not opted out, when the work was begun.
                isOptedOut: { [weak registry] in registry?.find(id)?.identityState.isOptedOut ?? false }
            )
        }
        manager.home.set(self)
        let isInUse = self.state.withLock { state in
            state.profile = manager
            return state.sessions.appState == .foreground
        }
        if isInUse { self.profileFollowsUse(true) }
        return manager
    }

    /// The app came to the foreground, or has left it.
    func profileFollowsUse(_ isInUse: Bool) {
        guard self.services.sessionRules.mode == .application, let profiles = self.services.profiles,
            let manager = self.state.withLock({ $0.profile })
        else { return }
        manager.use.withLock { $0 = isInUse }
        profiles.jobs.submit { await manager.followUse() }
    }

    /// The installation was opened, or has opted in: work that was left goes on, and what is not to be on disk goes.
    func resumeProfile() {
        guard let profiles = self.services.profiles else { return }
        guard !self.identityState.isOptedOut else {
            profiles.jobs.submit { await self.profileFollowsOptOut() }
            return
        }
        guard self.profileStore.isThere || self.services.store.contains(StateKey.linked(self.id)) else { return }
        do throws(SignetError) {
            let manager = try self.profileManager()
            profiles.jobs.submit {
                await self.performLinked()
                await manager.resume()
            }
        } catch {
            profiles.reportDamage("The profile of an installation cannot be read: \(error.message)")
        }
    }

    /// The installation has opted out or in.
    func profileFollowsOptOut() async {
        guard let profiles = self.services.profiles else { return }
        guard self.identityState.isOptedOut else { return self.resumeProfile() }
        guard self.profileStore.isThere else { return }
        do throws(SignetError) {
            try await self.profileManager().optOut()
        } catch {
            profiles.reportDamage("The profile of an installation cannot be read: \(error.message)")
        }
    }

    var profileStore: ProfileStore {
        ProfileStore(
            self.services.store,
            installation: self.identityState.number,
            persistsUser: self.services.profiles?.configuration.persistsUserData ?? true
        )
    }
}
