// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetLock
import SignetModel
import SignetTransport
import SignetWire

import struct FoundationEssentials.UUID

/// Infobip for one runtime: what the profiles of all installations share.
final class InfobipServices: DrivenService {
    static let subject = "Infobip profile"

    let definition: ServiceDefinition
    let configuration: InfobipConfiguration
    let context: LinkedServiceContext
    private let resolver: InfobipEndpointResolver
    let sender: InfobipSender
    let requests: InfobipRequests
    let managers = ManagerRegistry<InfobipManager>()
    let changes = Broadcast<InfobipUpdate>()

    init(_ configuration: InfobipConfiguration, _ context: LinkedServiceContext) throws(SignetError) {
        let definition = InfobipService(configuration).definition
        // The installations of such copies may never be opened again.
        if !configuration.persistsUserData { try InfobipStore.scrubCopies(in: context.store, of: definition) }
        self.definition = definition
        self.configuration = configuration
        self.context = context
        self.requests = InfobipRequests(configuration)
        self.resolver = InfobipEndpointResolver(
            configuration.server,
            key: definition.sharedKey(Array(InfobipApplication(code: configuration.applicationCode).hash.utf8)),
            store: context.store,
            onFailure: { context.observer.corruptionDetected($0) }
        )
        self.sender = InfobipSender(context.exchange, resolver: self.resolver, configuration: configuration)
    }

    var followsLogin: Bool { self.configuration.followsLogin }

    var forwardsEvents: Bool { false }

    func makeManager(of id: InstallationID, number: UInt32, stamp: UUID) throws(SignetError) -> InfobipManager {
        let adapter = InfobipAdapter(
            installation: id,
            universalID: stamp.uuidString,
            services: self,
            store: self.store(self.records(of: number))
        )
        return try adapter.makeManager()
    }

    private func store(_ records: ServiceRecords) -> InfobipStore {
        InfobipStore(records, persistsUser: self.configuration.persistsUserData)
    }

    /// Asks the service for its address, once a day, if no address of your own is configured.
    func lookUp(from caller: InfobipCaller) async {
        let time = self.context.time
        guard self.resolver.beginLookup(now: time.milliseconds) else { return }
        let (reply, _) = await self.sender.send(.baseURL, [], from: caller, token: nil)
        guard case .success(.data(let bytes)) = reply else {
            return self.resolver.lookupFailed(now: time.milliseconds)
        }
        do throws(WireError) {
            if self.resolver.lookedUp(try InfobipReply.baseURL(bytes)) { await self.resume() }
        } catch {
            self.context.observer.corruptionDetected("The answer to baseURL cannot be used: \(error.message)")
        }
    }

    /// Retries the pending work of all profiles, whether their installations are open or not.
    func resume() async {
        self.context.retryDueWork(self.service)
        for manager in self.managers.all { await manager.resume() }
    }

    // MARK: - Following an installation

    func follow(_ home: any FollowedInstallation, by manager: InfobipManager) {
        if home.isInForeground { self.followForeground(of: home, isInForeground: true) }
    }

    /// Resumes pending work after an open or an opt-in; if opted out, removes what must not stay on disk.
    func resume(_ home: any FollowedInstallation, isLaunch: Bool) {
        guard !home.isOptedOut else {
            self.context.jobs.submit { _ = await self.followOptOut(of: home) }
            return
        }
        self.resumeWork(of: home)
    }

    func resume(_ manager: InfobipManager) async {
        await manager.resume()
    }

    /// Applies an opt-out or opt-in.
    ///
    /// An opt-out that the disk refuses is repeated by the runner of due work.
    func followOptOut(of home: any FollowedInstallation) async -> Bool {
        guard home.isOptedOut else {
            self.resume(home, isLaunch: false)
            return true
        }
        guard self.hasRecords(of: home) else { return true }
        let manager: InfobipManager
        do throws(SignetError) {
            manager = try self.manager(of: home)
        } catch {
            self.reportUnreadable(error)
            return error.isUnreadable
        }
        do throws(SignetError) {
            try await manager.optOut()
            return true
        } catch {
            // Another driver has taken over, or the installation was reset.
            if error.code == .closed { return true }
            self.reportNotFollowed(home, error)
            return false
        }
    }

    func follow(_ event: Event, of home: any FollowedInstallation) {}

    func followForeground(of home: any FollowedInstallation, isInForeground: Bool) {
        guard self.context.mode == .application, let manager = home.manager(of: .infobip) as? InfobipManager else {
            return
        }
        manager.adapter.use.withLock { $0 = isInForeground }
        self.context.jobs.submit { await manager.followUse() }
    }

    // MARK: - Erasing

    func erase(_ mpid: MPID, in home: any FollowedInstallation, isCurrent: Bool) async throws(SignetError) {
        guard isCurrent || home.mentions(mpid) else { return }
        guard self.hasRecords(of: home) else {
            // Events stay behind if the memory beside them could not be read.
            self.countDropped(isCurrent ? try self.records(of: home.number).removeAll() : 0)
            return
        }
        // The object of a retired installation makes no manager; the next one may have.
        let manager = home.isRetired ? self.managers.find(home.id) : try self.manager(of: home)
        if isCurrent { try await manager?.forget() } else { try await manager?.forgetLeft() }
    }

    func erase(
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
            let store = InfobipStore(records, persistsUser: true)
            self.countDropped(try store.forgetLeft { self.context.reportDamage($0) })
        }
    }

    private func countDropped(_ events: Int) {
        if events > 0 { self.context.statistics.record { $0.infobipEventsDropped += events } }
    }

    func finish() {
        self.changes.finish()
    }
}
