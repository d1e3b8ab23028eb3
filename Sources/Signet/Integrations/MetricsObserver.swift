//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if MetricsSupport
public import Metrics
public import SignetModel

/// Counts what goes on with swift-metrics.
///
/// Counters: `signet_requests` (by endpoint and outcome), `signet_events_delivered`, `_dropped` (by cause), `_refused`
/// (by code), `_set_aside`, `signet_batches_delivered`, `_set_aside`, `_postponed` (by code),
/// `signet_iterable_records_dropped` (by cause), `signet_infobip_changes_dropped`, `signet_infobip_events_dropped`,
/// `signet_identity_syncs_failed` (by service and code), `signet_corruptions`, `signet_states_not_saved`,
/// `signet_erasures_failed`. Timer: `signet_request_duration` (by endpoint). Not counted are identity requests of
/// Signet's own that failed (they are among the requests), changed batches, postponed visitors and the end of the
/// runtime. Nothing is counted by installation or user. What waits is in ``SignetRuntime/statistics``: hand it to
/// ``record(_:)`` as often as you like.
public struct MetricsObserver: SignetObserver {
    private let factory: any MetricsFactory
    private let eventsDelivered: Counter
    private let batchesDelivered: Counter

    /// Makes an observer.
    ///
    /// - Parameter factory: What makes the counters; by default the one that the process was started with.
    public init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.factory = factory
        self.eventsDelivered = Counter(label: "signet_events_delivered", factory: factory)
        self.batchesDelivered = Counter(label: "signet_batches_delivered", factory: factory)
    }

    /// Sets the gauges of what waits.
    ///
    /// They are `signet_events_waiting`, `signet_events_in_memory`, `signet_oldest_event_age_seconds` and
    /// `signet_bytes_on_disk`.
    ///
    /// - Parameter statistics: Those of now.
    public func updateGauges(from statistics: SignetStatistics) {
        self.gauge("signet_events_waiting").set(statistics.eventsWaiting)
        self.gauge("signet_events_in_memory").set(statistics.eventsInMemory)
        self.gauge("signet_oldest_event_age_seconds").set((statistics.oldestEventAge ?? .zero) / .seconds(1))
        self.gauge("signet_bytes_on_disk").set(Double(statistics.bytesOnDisk))
    }

    /// Counts it and takes its time.
    public func requestFinished(_ report: RequestReport) {
        let outcome = report.failure.map { "\($0)" } ?? "success"
        self.count("signet_requests", by: [("endpoint", report.endpoint), ("outcome", outcome)])
        Metrics.Timer(
            label: "signet_request_duration",
            dimensions: [("endpoint", report.endpoint)],
            factory: self.factory
        ).recordSeconds(report.duration / .seconds(1))
    }

    /// Counts it.
    public func eventRefused(installation: InstallationID, error: SignetError) {
        self.count("signet_events_refused", by: [("code", "\(error.code)")])
    }

    /// Counts its events.
    public func batchDelivered(events: Int, bytes: Int) {
        self.eventsDelivered.increment(by: events)
        self.batchesDelivered.increment()
    }

    /// Counts its events.
    public func batchDeadLettered(events: Int, error: SignetError) {
        self.count("signet_events_dead_lettered", events)
        self.count("signet_batches_dead_lettered")
    }

    /// Counts it.
    public func batchPostponed(events: Int, until delay: Duration, error: SignetError) {
        self.count("signet_batches_postponed", by: [("code", "\(error.code)")])
    }

    /// Counts them.
    public func eventsDropped(_ count: Int, cause: DropCause) {
        self.count("signet_events_dropped", count, by: [("cause", "\(cause)")])
    }

    /// Counts it.
    public func corruptionDetected(_ description: String) {
        self.count("signet_corruptions")
    }

    /// Counts it.
    public func stateNotSaved(installation: InstallationID, error: SignetError) {
        self.count("signet_states_not_saved")
    }

    /// Counts them.
    public func iterableRecordsDropped(_ count: Int, installation: InstallationID, cause: IterableDropCause) {
        self.count("signet_iterable_records_dropped", count, by: [("cause", cause.rawValue)])
    }

    /// Counts them.
    public func infobipDataDropped(changes: Int, events: Int, installation: InstallationID) {
        self.count("signet_infobip_changes_dropped", changes)
        self.count("signet_infobip_events_dropped", events)
    }

    /// Counts it.
    public func identitySyncFailed(
        installation: InstallationID,
        service: IdentitySyncOutcome.Service,
        error: SignetError
    ) {
        self.count("signet_identity_syncs_failed", by: [("service", "\(service)"), ("code", "\(error.code)")])
    }

    /// Counts it.
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
