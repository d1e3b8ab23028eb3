// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetTransport
import SignetWire

/// The services that the profiles of all installations share.
final class InfobipServices: Sendable {
    package let definition: ServiceDefinition
    let configuration: InfobipConfiguration
    let store: StateStore
    let resolver: InfobipEndpointResolver
    let sender: InfobipSender
    let requests: InfobipRequests
    let managers = ManagerRegistry<InfobipManager>()
    let changes = Broadcast<InfobipUpdate>()
    let jobs: WorkQueue
    let lifecycle: RuntimeLifecycle
    let time: TimeSource
    let observer: any SignetObserver
    let statistics: StatisticsRecorder
    /// A value from 0 to 1, for the jitter of pauses.
    let jitter: @Sendable () -> Double
    /// True if the app says when it enters the foreground and the background.
    let tracksApplicationState: Bool
    /// True for an installation in memory that has opted out.
    let isOptedOut: @Sendable (InstallationID) -> Bool

    init(_ infobip: InfobipConfiguration, _ context: LinkedServiceContext) throws(SignetError) {
        let definition = InfobipService(infobip).definition
        // The installations of such copies may never be opened again.
        if !infobip.persistsUserData { try InfobipStore.scrubCopies(in: context.store, of: definition) }
        self.definition = definition
        self.configuration = infobip
        self.store = context.store
        self.jobs = context.jobs
        self.lifecycle = context.lifecycle
        self.time = context.time
        self.observer = context.observer
        self.statistics = context.statistics
        self.jitter = context.jitter
        self.tracksApplicationState = context.tracksApplicationState
        self.isOptedOut = context.isOptedOut
        self.requests = InfobipRequests(infobip)
        self.resolver = InfobipEndpointResolver(
            infobip.server,
            key: definition.sharedKey(Array(InfobipApplication(code: infobip.applicationCode).hash.utf8)),
            store: context.store,
            onFailure: { context.observer.corruptionDetected($0) }
        )
        self.sender = InfobipSender(
            context.exchange,
            resolver: self.resolver,
            configuration: infobip
        )
    }

    /// Asks the service for its address, once a day, if no address of your own is configured.
    func lookUp(from caller: InfobipCaller) async {
        guard self.resolver.beginLookup(now: self.time.milliseconds) else { return }
        let (reply, _) = await self.sender.send(.baseURL, [], from: caller, token: nil)
        guard case .success(.data(let bytes)) = reply else {
            return self.resolver.lookupFailed(now: self.time.milliseconds)
        }
        do throws(WireError) {
            if self.resolver.lookedUp(try InfobipReply.baseURL(bytes)) { await self.resume() }
        } catch {
            self.observer.corruptionDetected("The answer to baseURL cannot be used: \(error.message)")
        }
    }

    /// Retries the pending work of all profiles.
    func resume() async {
        for manager in self.managers.all { await manager.resume() }
    }

    /// Counts and reports damage.
    func reportDamage(_ description: String) {
        self.statistics.record { $0.damagedRecords += 1 }
        self.observer.corruptionDetected(description)
    }
}
