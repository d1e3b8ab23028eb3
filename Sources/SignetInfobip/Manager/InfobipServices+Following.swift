// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Signet
import SignetLock
import SignetModel

extension InfobipServices: LinkedService {
    package var followsLogin: Bool { self.configuration.followsLogin }

    package var forwardsEvents: Bool { false }

    package var linkedManagers: [any LinkedManager] { self.managers.all }

    package func removeManager(of id: InstallationID) -> (any LinkedManager)? {
        self.managers.remove(id)
    }

    /// The manager of the profile; made at first use, shared with earlier objects of the installation.
    func manager(of home: any FollowedInstallation) throws(SignetError) -> InfobipManager {
        if let known = home.manager(of: .infobip) as? InfobipManager { return known }
        guard !home.isRetired else { throw .closed }
        let (id, records, stamp, isOptedOut) = (
            home.id, self.records(of: home), home.deviceApplicationStamp, self.isOptedOut
        )
        let manager = try self.managers.manager(of: id) { () throws(SignetError) in
            try InfobipManager(
                installation: id,
                universalID: stamp.uuidString,
                store: records,
                services: self,
                // If not in memory, it was open and had not opted out when the work began.
                isOptedOut: { isOptedOut(id) }
            )
        }
        guard home.keep(manager, of: .infobip) else {
            // A reset in between: the id belongs to another installation now.
            if home.isReset { self.managers.remove(manager, of: id)?.retire() }
            throw .closed
        }
        manager.home.set(home)
        if home.isInForeground { self.followForeground(of: home, isInForeground: true) }
        return manager
    }

    private func records(of home: any FollowedInstallation) -> InfobipStore {
        InfobipStore(
            ServiceRecords(self.store, of: self.definition, installation: home.number),
            persistsUser: self.configuration.persistsUserData
        )
    }

    /// Resumes pending work after an open or an opt-in; if opted out, removes what must not stay on disk.
    package func resume(_ home: any FollowedInstallation, isLaunch: Bool) {
        guard !home.isOptedOut else {
            self.jobs.submit { await self.followOptOut(of: home) }
            return
        }
        guard self.records(of: home).isThere || home.hasOutbox else { return }
        do throws(SignetError) {
            let manager = try self.manager(of: home)
            self.jobs.submit {
                await home.syncIdentity()
                await manager.resume()
            }
        } catch {
            self.reportDamage("The Infobip profile of an installation cannot be read: \(error.message)")
        }
    }

    package func followUser(of home: any FollowedInstallation) async throws(SignetError) {
        try await self.manager(of: home).followUser()
    }

    package func followOptOut(of home: any FollowedInstallation) async {
        guard home.isOptedOut else { return self.resume(home, isLaunch: false) }
        guard self.records(of: home).isThere else { return }
        do throws(SignetError) {
            try await self.manager(of: home).optOut()
        } catch {
            self.reportDamage("The Infobip profile of an installation cannot be read: \(error.message)")
        }
    }

    package func follow(_ event: Event, of home: any FollowedInstallation) {}

    package func followForeground(of home: any FollowedInstallation, isInForeground: Bool) {
        guard self.tracksApplicationState, let manager = home.manager(of: .infobip) as? InfobipManager else { return }
        manager.use.withLock { $0 = isInForeground }
        self.jobs.submit { await manager.followUse() }
    }

    // MARK: - Erasing

    package func erase(_ mpid: MPID, in home: any FollowedInstallation, isCurrent: Bool) async throws(SignetError) {
        guard isCurrent || home.mentions(mpid) else { return }
        let records = self.records(of: home)
        guard records.isThere else {
            // Events stay behind if the memory beside them could not be read.
            let count = isCurrent ? try records.removeAll() : 0
            if count > 0 { self.statistics.record { $0.infobipEventsDropped += count } }
            return
        }
        // The object of a retired installation makes no manager; the next one may have.
        let manager: InfobipManager?
        if home.isRetired { manager = self.managers.find(home.id) } else { manager = try self.manager(of: home) }
        if isCurrent { try await manager?.forget() } else { try await manager?.forgetLeft() }
    }

    package func erase(
        _ mpid: MPID,
        of id: InstallationID,
        _ installation: AbsentInstallation
    ) async throws(SignetError) {
        let manager = self.managers.find(id)
        switch installation {
        case .gone, .stored(_, isCurrent: false, isMentioned: false): return
        // It may be theirs.
        case .unreadable, .stored(_, isCurrent: true, _): try await manager?.forget()
        case .stored(let records, isCurrent: false, isMentioned: true):
            if let manager { return try await manager.forgetLeft() }
            let count = try InfobipStore(records, persistsUser: true).forgetLeft { self.reportDamage($0) }
            if count > 0 { self.statistics.record { $0.infobipEventsDropped += count } }
        }
    }

    // MARK: - Life of the runtime

    package func takeLoggedEvents() async {}

    package func stop() async {
        for manager in self.managers.all { await manager.stop() }
    }

    package func finish() {
        self.changes.finish()
    }
}
