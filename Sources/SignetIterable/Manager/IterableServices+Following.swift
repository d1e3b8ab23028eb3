// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Signet
import SignetCriteria
import SignetModel

import struct FoundationEssentials.UUID

extension IterableServices: LinkedService {
    package var followsLogin: Bool { self.configuration.followsLogin }

    package var forwardsEvents: Bool { self.configuration.forwardsEvents }

    package var linkedManagers: [any LinkedManager] { self.managers.all }

    package func removeManager(of id: InstallationID) -> (any LinkedManager)? {
        self.managers.remove(id)
    }

    /// The manager of the visitor; made at first use, shared with earlier objects of the installation.
    func manager(of home: any FollowedInstallation) throws(SignetError) -> IterableManager {
        if let known = home.manager(of: .iterable) as? IterableManager { return known }
        let (id, number, stamp) = (home.id, home.number, home.deviceApplicationStamp)
        guard !home.isRetired else { throw .closed }
        let manager = try self.manager(of: id, number: number, stamp: stamp)
        guard home.keep(manager, of: .iterable) else {
            // A reset in between: the id belongs to another installation now.
            if home.isReset { self.managers.remove(manager, of: id)?.retire() }
            throw .closed
        }
        manager.home.set(home)
        return manager
    }

    /// The manager of the visitor of an installation, made if it is not in memory.
    func manager(of id: InstallationID, number: UInt32, stamp: UUID) throws(SignetError) -> IterableManager {
        try self.managers.manager(of: id) { () throws(SignetError) in
            try IterableManager(
                installation: id,
                store: self.records(number),
                requests: IterableRequests(
                    device: IterableDevice(
                        deviceID: stamp.uuidString,
                        platform: self.configuration.platform,
                        appPackageName: self.configuration.applicationName
                    ),
                    applicationName: self.configuration.applicationName
                ),
                tokens: IterableTokenManager(
                    provider: self.configuration.tokens,
                    policy: self.configuration.tokenPolicy,
                    lead: self.configuration.tokenLead,
                    time: self.time,
                    jobs: self.jobs
                ) { failure in
                    let change = IterableChange(installation: id, kind: .tokenFailed(failure))
                    self.changes.send(change, of: id)
                },
                services: self
            )
        }
    }

    private func records(of home: any FollowedInstallation) -> IterableStore {
        self.records(home.number)
    }

    private func records(_ number: UInt32) -> IterableStore {
        IterableStore(ServiceRecords(self.store, of: self.definition, installation: number))
    }

    package func resume(_ home: any FollowedInstallation, isLaunch: Bool) {
        let isThere = self.records(of: home).isThere
        guard isThere || home.hasOutbox else { return }
        do throws(SignetError) {
            let manager = try self.manager(of: home)
            if isLaunch, isThere { manager.launch() }
            self.jobs.submit {
                await home.syncIdentity()
                await manager.resume()
            }
        } catch {
            self.reportDamage("The Iterable visitor of an installation cannot be read: \(error.message)")
        }
    }

    package func followUser(of home: any FollowedInstallation) async throws(SignetError) {
        try await self.manager(of: home).follow()
    }

    /// Applies an opt-out or opt-in: while opted out, visitor data is neither kept nor sent.
    ///
    /// A change that the disk refuses is repeated at the next call or start.
    package func followOptOut(of home: any FollowedInstallation) async {
        do throws(SignetError) {
            guard home.manager(of: .iterable) != nil || self.records(of: home).isThere else { return }
            try await self.manager(of: home).follow()
        } catch {
            home.reportNotSaved(error)
        }
    }

    package func follow(_ event: Event, of home: any FollowedInstallation) {
        do throws(SignetError) {
            guard let record = try IterableRecord(mirroring: event, now: self.time.milliseconds / 1000) else { return }
            let manager = try self.manager(of: home)
            let after = try home.outbox().records.last?.id
            if manager.mirror(MirroredRecord(record: record, after: after)) {
                self.jobs.submit { await manager.takeMirrored() }
            }
        } catch {
            self.observer.stateNotSaved(installation: home.id, error: error)
        }
    }

    package func followForeground(of home: any FollowedInstallation, isInForeground: Bool) {
        guard isInForeground, let manager = self.managers.find(home.id) else { return }
        self.jobs.submit { await manager.enterForeground() }
    }

    // MARK: - Erasing

    package func erase(_ mpid: MPID, in home: any FollowedInstallation, isCurrent: Bool) async throws(SignetError) {
        guard isCurrent else {
            guard self.records(of: home).isThere else { return }
            // The object of a retired installation makes no manager; the next one may have.
            guard !home.isRetired else { return try await self.managers.find(home.id)?.forget(mpid) ?? () }
            return try await self.manager(of: home).forget(mpid)
        }
        if let known = self.managers.find(home.id) { return try await known.forget() }
        if !home.isRetired { try await self.manager(of: home).forget() }
    }

    package func erase(
        _ mpid: MPID,
        of id: InstallationID,
        _ installation: AbsentInstallation
    ) async throws(SignetError) {
        guard let manager = self.managers.find(id) else { return }
        switch installation {
        // It may be theirs.
        case .unreadable, .stored(_, isCurrent: true, _): try await manager.forget()
        case .gone, .stored: try await manager.forget(mpid)
        }
    }

    // MARK: - Life of the runtime

    package func takeLoggedEvents() async {
        for manager in self.managers.all { await manager.takeMirrored() }
    }

    package func stop() async {
        await self.criteria.resumeWaiting()
        await self.takeLoggedEvents()
        for manager in self.managers.all { await manager.stop() }
    }

    package func finish() {
        self.changes.finish()
    }
}
