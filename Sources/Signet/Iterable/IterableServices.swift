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

/// The services that the visitors of all installations share.
final class IterableServices: Sendable {
    let configuration: IterableConfiguration
    let store: StateStore
    let sender: IterableSender
    let criteria: CriteriaCache
    let managers = ManagerRegistry<IterableManager>()
    let changes: Broadcast<IterableChange>
    let jobs: WorkQueue
    let lifecycle: RuntimeLifecycle
    let time: TimeSource
    let observer: any SignetObserver
    let statistics: StatisticsRecorder
    /// Returns a number from 0 to 1, for the jitter of pauses.
    let jitter: @Sendable () -> Double

    init(
        _ iterable: IterableConfiguration,
        store: StateStore,
        transport: any Transport,
        changes: Broadcast<IterableChange>,
        jobs: WorkQueue,
        lifecycle: RuntimeLifecycle,
        observer: any SignetObserver,
        statistics: StatisticsRecorder,
        configuration: SignetConfiguration
    ) {
        self.configuration = iterable
        self.store = store
        self.changes = changes
        self.jobs = jobs
        self.lifecycle = lifecycle
        self.time = configuration.time
        self.observer = observer
        self.statistics = statistics
        self.jitter = configuration.jitter
        self.sender = IterableSender(
            Exchange(
                transport: transport,
                time: configuration.time,
                observer: observer,
                statistics: statistics
            ),
            builder: IterableRequestBuilder(
                apiKey: iterable.apiKey.withExposed { $0 },
                server: iterable.server
            ),
            timeout: iterable.requestTimeout,
            maximumInFlight: iterable.maximumInFlight
        )
        self.criteria = CriteriaCache(
            iterable,
            store: store,
            sender: self.sender,
            managers: self.managers,
            jobs: jobs,
            time: configuration.time,
            onDamage: { description in
                statistics.record { $0.damagedRecords += 1 }
                observer.corruptionDetected(description)
            },
            onSkipped: { observer.corruptionDetected($0) }
        )
    }

    /// Ends the services: resumes all waiting callers.
    func stop() async {
        await self.criteria.tellWaiting()
        await self.takeMirrored()
        for manager in self.managers.all { await manager.stop() }
    }

    /// Takes over the events logged so far, so that the visitors' copies are on disk too.
    func takeMirrored() async {
        for manager in self.managers.all { await manager.takeMirrored() }
    }

    /// Counts and reports damage.
    func reportDamage(_ description: String) {
        self.statistics.record { $0.damagedRecords += 1 }
        self.observer.corruptionDetected(description)
    }
}
