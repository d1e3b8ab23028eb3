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

/// What the visitors of all installations share.
final class VisitorServices: Sendable {
    let configuration: VisitorConfiguration
    let store: StateStore
    let sender: VisitorSender
    let criteria: CriteriaDesk
    let managers = ManagerRegistry<VisitorManager>()
    let changes: Broadcast<VisitorChange>
    let jobs: WorkQueue
    let lifecycle: RuntimeLifecycle
    let time: TimeSource
    let observer: any SignetObserver
    let statistics: StatisticsRecorder
    /// From 0 to 1, for the jitter of pauses.
    let chance: @Sendable () -> Double

    init(
        _ visitors: VisitorConfiguration,
        store: StateStore,
        transport: any Transport,
        changes: Broadcast<VisitorChange>,
        jobs: WorkQueue,
        lifecycle: RuntimeLifecycle,
        observer: any SignetObserver,
        statistics: StatisticsRecorder,
        configuration: SignetConfiguration
    ) {
        self.configuration = visitors
        self.store = store
        self.changes = changes
        self.jobs = jobs
        self.lifecycle = lifecycle
        self.time = configuration.time
        self.observer = observer
        self.statistics = statistics
        self.chance = configuration.chance
        self.sender = VisitorSender(
            Exchange(
                transport: transport,
                time: configuration.time,
                observer: observer,
                statistics: statistics
            ),
            builder: VisitorRequestBuilder(
                apiKey: visitors.apiKey.withExposed { $0 },
                server: visitors.server
            ),
            timeout: visitors.requestTimeout,
            maximumInFlight: visitors.maximumInFlight
        )
        self.criteria = CriteriaDesk(
            visitors,
            store: store,
            sender: self.sender,
            managers: self.managers,
            jobs: jobs,
            time: configuration.time,
            onDamage: { description in
                statistics.record { $0.damagedRecords += 1 }
                observer.damageFound(description)
            },
            onSkipped: { observer.damageFound($0) }
        )
    }

    /// The end: whoever waits is answered.
    func stop() async {
        await self.criteria.tellWaiting()
        await self.takeMirrored()
        for manager in self.managers.all { await manager.stop() }
    }

    /// What was logged until now is the visitors' on disk, too.
    func takeMirrored() async {
        for manager in self.managers.all { await manager.takeMirrored() }
    }

    /// Counts and tells damage.
    func reportDamage(_ description: String) {
        self.statistics.record { $0.damagedRecords += 1 }
        self.observer.damageFound(description)
    }
}
