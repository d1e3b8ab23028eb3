// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetTransport
import SignetWire

/// The services that the visitors of all installations share.
final class IterableServices: Sendable {
    package let definition: ServiceDefinition
    let configuration: IterableConfiguration
    let store: StateStore
    let sender: IterableSender
    let criteria: CriteriaCache
    let managers = ManagerRegistry<IterableManager>()
    let changes = Broadcast<IterableChange>()
    let jobs: WorkQueue
    let lifecycle: RuntimeLifecycle
    let time: TimeSource
    let observer: any SignetObserver
    let statistics: StatisticsRecorder
    /// Returns a number from 0 to 1, for the jitter of pauses.
    let jitter: @Sendable () -> Double

    init(_ configuration: IterableConfiguration, _ context: LinkedServiceContext) {
        self.definition = IterableService(configuration).definition
        self.configuration = configuration
        self.store = context.store
        self.jobs = context.jobs
        self.lifecycle = context.lifecycle
        self.time = context.time
        self.observer = context.observer
        self.statistics = context.statistics
        self.jitter = context.jitter
        self.sender = IterableSender(
            context.exchange,
            builder: IterableRequestBuilder(
                apiKey: configuration.apiKey.withExposed { $0 },
                server: configuration.server
            ),
            timeout: configuration.requestTimeout,
            maximumInFlight: configuration.maximumInFlight
        )
        self.criteria = CriteriaCache(
            configuration,
            store: context.store,
            sender: self.sender,
            managers: self.managers,
            jobs: context.jobs,
            time: context.time,
            onDamage: { context.reportDamage($0) },
            onSkipped: { context.observer.corruptionDetected($0) }
        )
    }

    /// Counts and reports damage.
    func reportDamage(_ description: String) {
        self.statistics.record { $0.damagedRecords += 1 }
        self.observer.corruptionDetected(description)
    }
}
