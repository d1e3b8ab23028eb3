//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetTransport
import SignetWire

/// The services that the profiles of all installations share.
final class InfobipServices: Sendable {
    let configuration: InfobipConfiguration
    let store: StateStore
    let handler: InfobipEndpointResolver
    let sender: InfobipSender
    let requests: InfobipRequests
    let managers = ManagerRegistry<InfobipManager>()
    let changes: Broadcast<InfobipUpdate>
    let jobs: WorkQueue
    let lifecycle: RuntimeLifecycle
    let time: TimeSource
    let observer: any SignetObserver
    let statistics: StatisticsRecorder
    /// A value from 0 to 1, for the jitter of pauses.
    let jitter: @Sendable () -> Double

    init(
        _ infobip: InfobipConfiguration,
        store: StateStore,
        transport: any Transport,
        changes: Broadcast<InfobipUpdate>,
        jobs: WorkQueue,
        lifecycle: RuntimeLifecycle,
        observer: any SignetObserver,
        statistics: StatisticsRecorder,
        configuration: SignetConfiguration
    ) throws(SignetError) {
        // The installations of such copies may never be opened again.
        if !infobip.persistsUserData { try InfobipStore.scrubCopies(in: store) }
        self.configuration = infobip
        self.store = store
        self.changes = changes
        self.jobs = jobs
        self.lifecycle = lifecycle
        self.time = configuration.time
        self.observer = observer
        self.statistics = statistics
        self.jitter = configuration.jitter
        self.requests = InfobipRequests(infobip)
        self.handler = InfobipEndpointResolver(
            infobip.server,
            application: InfobipApplication(code: infobip.applicationCode).hash,
            store: store,
            onFailure: { observer.corruptionDetected($0) }
        )
        self.sender = InfobipSender(
            Exchange(
                transport: transport,
                time: configuration.time,
                observer: observer,
                statistics: statistics
            ),
            handler: self.handler,
            configuration: infobip
        )
    }

    /// Asks the service for its address, once a day, if no address of your own is configured.
    func lookUp(from caller: InfobipCaller) async {
        guard self.handler.beginLookup(now: self.time.milliseconds) else { return }
        let (reply, _) = await self.sender.send(.baseURL, [], from: caller, token: nil)
        guard case .success(.data(let bytes)) = reply else { return }
        do throws(WireError) {
            if self.handler.lookedUp(try InfobipReply.baseURL(bytes)) { await self.resume() }
        } catch {
            self.observer.corruptionDetected("The answer to baseURL is not usable: \(error.message)")
        }
    }

    /// Retries the pending work of all profiles.
    func resume() async {
        for manager in self.managers.all { await manager.resume() }
    }

    /// Ends all profiles, and answers their waiting callers.
    func stop() async {
        for manager in self.managers.all { await manager.stop() }
    }

    /// Counts and reports damage.
    func reportDamage(_ description: String) {
        self.statistics.record { $0.damagedRecords += 1 }
        self.observer.corruptionDetected(description)
    }
}
