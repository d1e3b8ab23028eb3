// SPDX-License-Identifier: Apache-2.0

#if MetricsSupport
public import Metrics
public import SignetModel

/// Counts the runtime's reports with swift-metrics.
///
/// Counters: `signet_requests` (by endpoint and outcome), `signet_events_delivered`, `_dropped` (by cause), `_refused`
/// (by code), `_dead_lettered`, `signet_batches_delivered`, `_dead_lettered`, `_postponed` (by code),
/// `signet_service_data_dropped` (by service, kind and cause),
/// `signet_identity_syncs_failed` (by service and code), `signet_users_dropped`, `signet_clock_offsets`, `signet_corruptions`, `signet_states_not_saved`,
/// `signet_erasures_failed`. Timer: `signet_request_duration` (by endpoint).
///
/// Not counted: failed automatic identity requests (they are among the requests), changed batches, postponed
/// data of services and the end of the runtime. Nothing is counted by installation or user. For gauges, pass
/// ``SignetRuntime/statistics`` to ``updateGauges(from:)`` as often as you like.
public struct MetricsObserver: SignetObserver {
    private let factory: any MetricsFactory
    private let eventsDelivered: Counter
    private let batchesDelivered: Counter

    /// Makes an observer.
    ///
    /// - Parameter factory: The factory of the counters; by default the one that the process was started with.
    public init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.factory = factory
        self.eventsDelivered = Counter(label: "signet_events_delivered", factory: factory)
        self.batchesDelivered = Counter(label: "signet_batches_delivered", factory: factory)
    }

    /// Sets the gauges of waiting events.
    ///
    /// They are `signet_events_waiting`, `signet_events_in_memory`, `signet_oldest_event_age_seconds` and
    /// `signet_bytes_on_disk`; with a shared store also `signet_clock_offset_seconds`.
    ///
    /// - Parameter statistics: The current statistics.
    public func updateGauges(from statistics: SignetStatistics) {
        self.gauge("signet_events_waiting").set(statistics.eventsWaiting)
        self.gauge("signet_events_in_memory").set(statistics.eventsInMemory)
        self.gauge("signet_oldest_event_age_seconds").set((statistics.oldestEventAge ?? .zero) / .seconds(1))
        self.gauge("signet_bytes_on_disk").set(Double(statistics.bytesOnDisk))
        if let offset = statistics.clockOffset { self.gauge("signet_clock_offset_seconds").set(offset / .seconds(1)) }
    }

    /// Counts the request and records its duration.
    public func requestFinished(_ report: RequestReport) {
        let outcome = report.failure.map { "\($0)" } ?? "success"
        self.count("signet_requests", by: [("endpoint", report.endpoint), ("outcome", outcome)])
        Metrics.Timer(
            label: "signet_request_duration",
            dimensions: [("endpoint", report.endpoint)],
            factory: self.factory
        ).recordSeconds(report.duration / .seconds(1))
    }

    /// Counts the refusal.
    public func eventRefused(installation: InstallationID, error: SignetError) {
        self.count("signet_events_refused", by: [("code", "\(error.code)")])
    }

    /// Counts the batch and its events.
    public func batchDelivered(events: Int, bytes: Int) {
        self.eventsDelivered.increment(by: events)
        self.batchesDelivered.increment()
    }

    /// Counts the batch and its events.
    public func batchDeadLettered(events: Int, error: SignetError) {
        self.count("signet_events_dead_lettered", events)
        self.count("signet_batches_dead_lettered")
    }

    /// Counts the postponement.
    public func batchPostponed(events: Int, until delay: Duration, error: SignetError) {
        self.count("signet_batches_postponed", by: [("code", "\(error.code)")])
    }

    /// Counts the events.
    public func eventsDropped(_ count: Int, cause: DropCause) {
        self.count("signet_events_dropped", count, by: [("cause", "\(cause)")])
    }

    /// Counts the corruption.
    public func corruptionDetected(_ description: String) {
        self.count("signet_corruptions")
    }

    /// Counts the failure.
    public func stateNotSaved(installation: InstallationID, error: SignetError) {
        self.count("signet_states_not_saved")
    }

    /// Counts the users.
    public func usersDropped(_ count: Int, installation: InstallationID) {
        self.count("signet_users_dropped", count)
    }

    /// Counts an offset when it begins.
    public func clockOffsetChanged(_ offset: Duration?) {
        if offset != nil { self.count("signet_clock_offsets") }
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
        let dimensions = [("service", "\(service)"), ("kind", kind), ("cause", cause ?? "none")]
        self.count("signet_service_data_dropped", count, by: dimensions)
    }

    /// Counts the failure.
    public func identitySyncFailed(
        installation: InstallationID,
        service: IdentitySyncOutcome.Service,
        error: SignetError
    ) {
        self.count("signet_identity_syncs_failed", by: [("service", "\(service)"), ("code", "\(error.code)")])
    }

    /// Counts the failure.
    public func erasureFailed(_ error: SignetError) {
        self.count("signet_erasures_failed")
    }

    private func count(_ label: String, _ amount: Int = 1, by dimensions: [(String, String)] = []) {
        Counter(label: label, dimensions: dimensions, factory: self.factory).increment(by: amount)
    }

    private func gauge(_ label: String) -> Meter {
        Meter(label: label, factory: self.factory)
    }
}
#endif
