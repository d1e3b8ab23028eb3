// SPDX-License-Identifier: Apache-2.0

/// A metric of `MetricsObserver`: its name, kind, unit, labels and meaning.
///
/// ``all`` is the whole table; the observer reads the names from it, `.ci/check-metrics` holds the dashboard, the alerts and the
/// article against it. No label has an id: each has few values.
public struct SignetMetric: Sendable, Hashable {
    /// The kinds of metrics.
    public enum Kind: String, Sendable, Hashable {
        /// Only grows; a `Counter` of swift-metrics.
        case counter
        /// Goes up and down; a `Meter` of swift-metrics, set by `updateGauges`.
        case gauge
        /// A distribution of durations; a `Timer` of swift-metrics, which backends export in seconds.
        case timer
    }

    /// The name, with dots.
    public let name: String
    /// The kind.
    public let kind: Kind
    /// The unit as in UCUM, such as `s`, `By` or `{event}`.
    public let unit: String
    /// The names of the labels.
    public let labels: [String]
    /// The meaning.
    public let meaning: String

    init(_ name: String, _ kind: Kind, _ unit: String, _ labels: [String], _ meaning: String) {
        (self.name, self.kind, self.unit, self.labels, self.meaning) = (name, kind, unit, labels, meaning)
    }
}

// Each on one line: .ci/check-metrics reads them.
// swift-format-ignore
extension SignetMetric {
    static let requestDuration = Self("http.client.request.duration", .timer, "s", ["http.request.method", "server.address", "url.template", "http.response.status_code", "error.type"], "Requests, from sending to the end of the answer")
    static let eventsDelivered = Self("signet.events.delivered", .counter, "{event}", [], "Events that the platform has accepted")
    static let eventsDropped = Self("signet.events.dropped", .counter, "{event}", ["signet.cause"], "Accepted events that were given up")
    static let eventsRefused = Self("signet.events.refused", .counter, "{event}", ["signet.error"], "Events that were not accepted")
    static let eventsDeadLettered = Self("signet.events.dead_lettered", .counter, "{event}", [], "Events of batches that were refused for good")
    static let batchesDelivered = Self("signet.batches.delivered", .counter, "{batch}", [], "Batches that the platform has accepted")
    static let batchesDeadLettered = Self("signet.batches.dead_lettered", .counter, "{batch}", [], "Batches that were refused for good")
    static let batchesPostponed = Self("signet.batches.postponed", .counter, "{batch}", ["signet.error"], "Batches that wait for another try")
    static let serviceDataDropped = Self("signet.service.data.dropped", .counter, "{record}", ["signet.service", "signet.kind", "signet.cause"], "Data that waited for a service and was dropped")
    static let identitySyncsFailed = Self("signet.identity.syncs.failed", .counter, "{sync}", ["signet.service", "signet.error"], "Logins and logouts that a service did not follow")
    static let installationsRemoved = Self("signet.installations.removed", .counter, "{installation}", [], "Installations that were removed")
    static let storeFailures = Self("signet.store.failures", .counter, "{failure}", [], "Failures of Signet's own calls to the shared store, each once a minute at most")
    static let usersDropped = Self("signet.users.dropped", .counter, "{user}", [], "Users who left a full installation")
    static let clockOffsets = Self("signet.clock.offsets", .counter, "{offset}", [], "Times that the clock has moved away from the shared store's")
    static let damages = Self("signet.damages", .counter, "{damage}", [], "Reports of something that cannot be read or cleaned up")
    static let statesNotSaved = Self("signet.states.not_saved", .counter, "{change}", [], "Changes of state that the disk refused")
    static let erasuresFailed = Self("signet.erasures.failed", .counter, "{erasure}", [], "Erasures that an error of the disk or the shared store cut short")
    static let identifiesFailed = Self("signet.identity.identifies.failed", .counter, "{call}", ["signet.error"], "Identity calls that the runtime makes by itself and that failed")
    static let workPostponed = Self("signet.work.postponed", .counter, "{pause}", ["signet.kind", "signet.error"], "Pauses of work that the runtime does by itself")
    static let workDue = Self("signet.work.due", .gauge, "{installation}", ["signet.kind"], "Installations with work that the runtime does by itself")
    static let eventsWaiting = Self("signet.events.waiting", .gauge, "{event}", [], "Events on disk that wait")
    static let eventsInMemory = Self("signet.events.in_memory", .gauge, "{event}", [], "Of these, events in memory only, as the disk refused them")
    static let oldestEventAge = Self("signet.events.oldest_age", .gauge, "s", ["signet.waits_for"], "The age of the oldest event that waits for an upload, for a user, or for the app")
    static let diskUsage = Self("signet.disk.usage", .gauge, "By", [], "All files of the journal")
    static let clockOffset = Self("signet.clock.offset", .gauge, "s", [], "This clock minus that of the shared store")
    static let health = Self("signet.health.degraded", .gauge, "1", ["signet.reason"], "1 while the health has this reason, else 0")
}

extension SignetMetric {
    /// The whole table.
    public static let all: [SignetMetric] = [
        .requestDuration, .eventsDelivered, .eventsDropped, .eventsRefused, .eventsDeadLettered, .batchesDelivered,
        .batchesDeadLettered, .batchesPostponed, .serviceDataDropped, .identitySyncsFailed, .installationsRemoved,
        .storeFailures, .usersDropped, .clockOffsets,
        .damages, .statesNotSaved, .erasuresFailed, .identifiesFailed, .workPostponed, .workDue, .eventsWaiting,
        .eventsInMemory, .oldestEventAge, .diskUsage,
        .clockOffset, .health,
    ]
}
