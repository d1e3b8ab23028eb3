// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria
import SignetModel

import struct FoundationEssentials.UUID

/// Iterable for one runtime: what the visitors of all installations share.
final class IterableServices: DrivenService {
    static let subject = "Iterable visitor"

    let definition: ServiceDefinition
    let configuration: IterableConfiguration
    let context: LinkedServiceContext
    let sender: IterableSender
    let criteria: CriteriaCache
    let managers = ManagerRegistry<IterableManager>()
    let changes = Broadcast<IterableChange>()

    init(_ configuration: IterableConfiguration, _ context: LinkedServiceContext) {
        self.definition = IterableService(configuration).definition
        self.configuration = configuration
        self.context = context
        self.sender = IterableSender(configuration, context.exchange)
        self.criteria = CriteriaCache(configuration, context, sender: self.sender, managers: self.managers)
    }

    var followsLogin: Bool { self.configuration.followsLogin }

    var forwardsEvents: Bool { self.configuration.forwardsEvents }

    func makeManager(of id: InstallationID, number: UInt32, stamp: UUID) throws(SignetError) -> IterableManager {
        let configuration = self.configuration
        let adapter = IterableAdapter(
            installation: id,
            services: self,
            store: IterableStore(self.records(of: number)),
            requests: IterableRequests(
                device: IterableDevice(
                    deviceID: stamp.uuidString,
                    platform: configuration.platform,
                    appPackageName: configuration.applicationName
                ),
                applicationName: configuration.applicationName
            ),
            tokens: IterableTokenManager(
                provider: configuration.tokens,
                policy: configuration.tokenPolicy,
                lead: configuration.tokenLead,
                time: self.context.time,
                jobs: self.context.jobs
            ) { failure in
                self.changes.send(IterableChange(installation: id, kind: .tokenFailed(failure)), of: id)
            }
        )
        return try adapter.makeManager()
    }

    // MARK: - Following an installation

    func names(in call: OutboxEntry.Call) -> [String]? { call.names(by: self.configuration.addressing) }

    func resume(_ home: any FollowedInstallation, isLaunch: Bool) {
        self.resumeWork(of: home) { manager, isThere in
            if isLaunch, isThere { manager.adapter.launch() }
        }
    }

    func resume(_ manager: IterableManager) async {
        await manager.resume()
    }

    /// Applies an opt-out or opt-in: while opted out, visitor data is neither kept nor sent.
    ///
    /// A change that the disk refuses is repeated at the next call, or by the runner of due work.
    func followOptOut(of home: any FollowedInstallation) async -> Bool {
        do throws(SignetError) {
            guard home.manager(of: .iterable) != nil || self.hasRecords(of: home) else { return true }
            try await self.manager(of: home).follow()
            return true
        } catch {
            // Another driver has taken over, or the installation was reset.
            if error.code == .closed { return true }
            // Only a newer version, or nobody, can read it.
            guard !error.isUnreadable else {
                self.reportUnreadable(error)
                return true
            }
            self.reportNotFollowed(home, error)
            return false
        }
    }

    func follow(_ event: Event, of home: any FollowedInstallation) {
        let record: IterableRecord
        do throws(SignetError) {
            let now = (event.occurredMilliseconds ?? self.context.time.milliseconds) / 1000
            guard let copy = try IterableRecord(mirroring: event, now: now) else { return }
            record = copy
        } catch {
            // The event itself is logged.
            return self.countDropped(1, .invalid, of: home.id)
        }
        do throws(SignetError) {
            let manager = try self.manager(of: home)
            // An entry that is for other services alone holds no event up.
            let after = try home.outbox().open(for: .iterable).last?.id
            if manager.adapter.mirror(MirroredRecord(record: record, after: after)) {
                self.context.jobs.submit { await manager.takeMirrored() }
            }
        } catch {
            self.context.observer.stateNotSaved(installation: home.id, error: error)
        }
    }

    /// Counts and reports records that are dropped.
    func countDropped(_ count: Int, _ cause: IterableDropCause, of installation: InstallationID) {
        self.context.statistics.record { $0.iterableRecordsDropped[cause, default: 0] += count }
        self.context.observer.serviceDataDropped(
            count,
            of: "record",
            service: .iterable,
            installation: installation,
            cause: cause.rawValue
        )
    }

    func followForeground(of home: any FollowedInstallation, isInForeground: Bool) {
        guard isInForeground, let manager = self.managers.find(home.id) else { return }
        self.context.jobs.submit { await manager.enterForeground() }
    }

    // MARK: - Erasing

    func erase(_ mpid: MPID, in home: any FollowedInstallation, isCurrent: Bool) async throws(SignetError) {
        guard isCurrent else {
            guard self.hasRecords(of: home) else { return }
            // The object of a retired installation makes no manager; the next one may have.
            guard !home.isRetired else { return try await self.managers.find(home.id)?.forget(mpid) ?? () }
            return try await self.manager(of: home).forget(mpid)
        }
        if let known = self.managers.find(home.id) { return try await known.forget() }
        if !home.isRetired { try await self.manager(of: home).forget() }
    }

    func erase(
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

    func takeLoggedEvents() async {
        for manager in self.managers.all { await manager.takeMirrored() }
    }

    func stop() async {
        await self.criteria.resumeWaiting()
        await self.takeLoggedEvents()
        for manager in self.managers.all { await manager.stop() }
    }

    func finish() {
        self.changes.finish()
    }
}
