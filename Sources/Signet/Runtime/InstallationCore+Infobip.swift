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
    /// The manager of the Infobip profile; made at first use, shared with earlier objects of this id.
    func infobipManager() throws(SignetError) -> InfobipManager {
        guard let infobip = self.services.infobip else {
            throw SignetError(.invalidConfiguration, "Infobip is not configured: set SignetConfiguration.infobip.")
        }
        let (known, state, isReset) = self.state.withLock { ($0.profile, $0.identity, $0.isReset) }
        if let known { return known }
        // The id belongs to another installation now.
        guard !isReset else { throw .closed }
        let (id, registry) = (self.id, self.registry)
        let manager = try infobip.managers.manager(of: self.id) { () throws(SignetError) in
            try InfobipManager(
                installation: id,
                universalID: state.deviceApplicationStamp.uuidString,
                store: self.infobipStore,
                services: infobip,
                // If not in memory, it was open and had not opted out when the work began.
                isOptedOut: { [weak registry] in registry?.find(id)?.identityState.isOptedOut ?? false }
            )
        }
        manager.home.set(self)
        let isInUse = self.state.withLock { state in
            state.profile = manager
            return state.sessions.appState == .foreground
        }
        if isInUse { self.infobipFollowsUse(true) }
        return manager
    }

    /// Notifies Infobip that the app entered or left the foreground.
    func infobipFollowsUse(_ isInUse: Bool) {
        guard self.services.sessionRules.mode == .application, let infobip = self.services.infobip,
            let manager = self.state.withLock({ $0.profile })
        else { return }
        manager.use.withLock { $0 = isInUse }
        infobip.jobs.submit { await manager.followUse() }
    }

    /// Resumes pending work after an open or an opt-in; if opted out, removes what must not stay on disk.
    func resumeInfobip() {
        guard let infobip = self.services.infobip else { return }
        guard !self.identityState.isOptedOut else {
            infobip.jobs.submit { await self.infobipFollowsOptOut() }
            return
        }
        guard self.infobipStore.isThere || self.services.store.contains(StateKey.linked(self.id)) else { return }
        do throws(SignetError) {
            let manager = try self.infobipManager()
            infobip.jobs.submit {
                await self.performLinked()
                await manager.resume()
            }
        } catch {
            infobip.reportDamage("The profile of an installation cannot be read: \(error.message)")
        }
    }

    /// Applies an opt-out or opt-in of the installation to Infobip.
    func infobipFollowsOptOut() async {
        guard let infobip = self.services.infobip else { return }
        guard self.identityState.isOptedOut else { return self.resumeInfobip() }
        guard self.infobipStore.isThere else { return }
        do throws(SignetError) {
            try await self.infobipManager().optOut()
        } catch {
            infobip.reportDamage("The profile of an installation cannot be read: \(error.message)")
        }
    }

    var infobipStore: InfobipStore {
        InfobipStore(
            self.services.store,
            installation: self.identityState.number,
            persistsUser: self.services.infobip?.configuration.persistsUserData ?? true
        )
    }
}
