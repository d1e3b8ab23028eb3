// SPDX-License-Identifier: Apache-2.0

#if SIGNET_METRICS
public import Metrics
public import SignetModel

/// Counts the runtime's reports with swift-metrics.
///
/// ``SignetMetric/all`` is the table of names, units and labels. Requests follow OpenTelemetry's conventions for HTTP clients.
/// All labels are strings of a few values; what is not known is `none`.
///
/// Not counted: changed batches, postponed data of services and the end of the runtime. Nothing is counted by installation or user. For gauges, pass the
/// runtime to ``updateGauges(of:)`` as often as you like.
public struct MetricsObserver: SignetObserver {
    private let factory: any MetricsFactory
    private let eventsDelivered: Counter
    private let batchesDelivered: Counter

    /// Makes an observer.
    ///
    /// - Parameter factory: The factory of the counters; by default the one that the process was started with.
    public init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.factory = factory
        self.eventsDelivered = Counter(label: SignetMetric.eventsDelivered.name, factory: factory)
        // Those without labels are there from the begin: a series that begins with its first increment hides it from `increase`.
        for metric in SignetMetric.all where metric.kind == .counter && metric.labels.isEmpty {
            _ = Counter(label: metric.name, factory: factory)
        }
        self.batchesDelivered = Counter(label: SignetMetric.batchesDelivered.name, factory: factory)
    }

    /// Sets all gauges of a runtime: what waits, its disk and clock, and its health.
    ///
    /// - Parameter runtime: The runtime.
    public func updateGauges(of runtime: SignetRuntime) {
        self.updateGauges(from: runtime.statistics)
        self.updateGauges(from: runtime.health)
    }

    /// Sets the gauges of waiting events, the disk and the clock.
    ///
    /// - Parameter statistics: The current statistics.
    public func updateGauges(from statistics: SignetStatistics) {
        self.gauge(.eventsWaiting).set(statistics.eventsWaiting)
        self.gauge(.eventsInMemory).set(statistics.eventsInMemory)
        // All labels each time: a gauge keeps its last value.
        for cause in SignetStatistics.eventWaits {
            let age = statistics.oldestEventAges[cause] ?? .zero
            self.gauge(.oldestEventAge, by: [("signet.waits_for", cause)]).set(age / .seconds(1))
        }
        for (kind, count) in statistics.dueWork { self.gauge(.workDue, by: [("signet.kind", kind)]).set(count) }
        self.gauge(.diskUsage).set(Double(statistics.bytesOnDisk))
        if let offset = statistics.clockOffset { self.gauge(.clockOffset).set(offset / .seconds(1)) }
    }

    /// Sets the gauges of the health: 1 for each of its reasons, and 0 for all others.
    ///
    /// - Parameter health: The current health.
    public func updateGauges(from health: SignetHealth) {
        let reasons = Set(health.reasons.map(\.name))
        for name in HealthReason.Kind.names {
            Meter(label: SignetMetric.health.name, dimensions: [("signet.reason", name)], factory: self.factory)
                .set(reasons.contains(name) ? 1 : 0)
        }
    }

    /// Records the duration of the request.
    public func requestFinished(_ report: RequestReport) {
        Metrics.Timer(
            label: SignetMetric.requestDuration.name,
            dimensions: [
                ("http.request.method", report.method.rawValue), ("server.address", report.serverAddress),
                ("url.template", report.urlTemplate),
                ("http.response.status_code", report.status.map { "\($0)" } ?? "none"),
                ("error.type", report.errorType ?? "none"),
            ],
            factory: self.factory
        ).recordSeconds(report.duration / .seconds(1))
    }

    /// Counts the refusal.
    public func eventRefused(installation: InstallationID, error: SignetError) {
        self.count(.eventsRefused, by: [("signet.error", "\(error.code)")])
    }

    /// Counts the batch and its events.
    public func batchDelivered(events: Int, bytes: Int) {
        self.eventsDelivered.increment(by: events)
        self.batchesDelivered.increment()
    }

    /// Counts the batch and its events.
    public func batchDeadLettered(events: Int, error: SignetError) {
        self.count(.eventsDeadLettered, events)
        self.count(.batchesDeadLettered)
    }

    /// Counts the postponement.
    public func batchPostponed(events: Int, until delay: Duration, error: SignetError) {
        self.count(.batchesPostponed, by: [("signet.error", "\(error.code)")])
    }

    /// Counts the events.
    public func eventsDropped(_ count: Int, cause: DropCause) {
        self.count(.eventsDropped, count, by: [("signet.cause", "\(cause)")])
    }

    /// Counts the corruption.
    public func corruptionDetected(_ description: String) {
        self.count(.damages)
    }

    /// Counts the failure.
    public func stateNotSaved(installation: InstallationID, error: SignetError) {
        self.count(.statesNotSaved)
    }

    /// Counts the installations.
    public func installationsRemoved(_ count: Int) {
        self.count(.installationsRemoved, count)
    }

    /// Counts the failure.
    public func sharedStoreFailed(_ error: SignetError) {
        self.count(.storeFailures)
    }

    /// Counts the users.
    public func usersDropped(_ count: Int, installation: InstallationID) {
        self.count(.usersDropped, count)
    }

    /// Counts an offset when it begins.
    public func clockOffsetChanged(_ offset: Duration?) {
        if offset != nil { self.count(.clockOffsets) }
    }

    /// Counts the records.
    public func serviceDataDropped(
        _ count: Int,
        of kind: String,
        service: IdentitySyncOutcome.Service,
        installation: InstallationID,
        cause: String?
    ) {
        // Always the same labels: some backends end the process if one name has two sets of them.
        let dimensions = [("signet.service", "\(service)"), ("signet.kind", kind), ("signet.cause", cause ?? "none")]
        self.count(.serviceDataDropped, count, by: dimensions)
    }

    /// Counts the failure.
    public func identitySyncFailed(
        installation: InstallationID,
        service: IdentitySyncOutcome.Service,
        error: SignetError
    ) {
        self.count(.identitySyncsFailed, by: [("signet.service", "\(service)"), ("signet.error", "\(error.code)")])
    }

    /// Counts the pause.
    public func dueWorkPostponed(kind: String, count: Int, until delay: Duration, error: SignetError) {
        self.count(.workPostponed, by: [("signet.kind", kind), ("signet.error", "\(error.code)")])
    }

    /// Counts the failure.
    public func automaticIdentifyFailed(installation: InstallationID, error: SignetError) {
        self.count(.identifiesFailed, by: [("signet.error", "\(error.code)")])
    }

    /// Counts the failure.
    public func erasureFailed(_ error: SignetError) {
        self.count(.erasuresFailed)
    }

    private func count(_ metric: SignetMetric, _ amount: Int = 1, by dimensions: [(String, String)] = []) {
        Counter(label: metric.name, dimensions: dimensions, factory: self.factory).increment(by: amount)
    }

    private func gauge(_ metric: SignetMetric, by dimensions: [(String, String)] = []) -> Meter {
        Meter(label: metric.name, dimensions: dimensions, factory: self.factory)
    }
}
#endif
