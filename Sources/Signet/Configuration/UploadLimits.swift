// SPDX-License-Identifier: Apache-2.0

/// Sizes and times of delivery.
struct UploadLimits: Sendable {
    /// The most events of one batch (the vendors' SDKs use 100).
    var events = 100
    /// The bytes of events that fill a batch; the Events API allows 128 KB with everything.
    var bytes = 100 * 1024
    /// The most bytes of one batch with more than one event.
    var maximumBatchBytes = UploadLimits.batchBytes
    /// The most concurrent requests.
    var inFlight = 4
    /// The upload interval: the longest time that events wait for others.
    var interval: Duration
    /// The longest time that prompt events wait for others.
    var priorityUploadDelay: Duration
    /// The most batches of one request; 1 if each is sent alone.
    var batchesPerRequest = 1
    /// The most bytes of one request with several batches.
    var maximumRequestBytes = UploadLimits.requestBytes
    /// The most batches per second; nil for no limit.
    var batchesPerSecond: Double?
    /// The time for which events are kept.
    var maximumAge: Duration = .seconds(90 * 86_400)
    /// The most bytes of one installation's events that may wait for its first user.
    var bytesWithoutUser = 1 << 20

    /// The most bytes of one batch (Events API v2).
    static let batchBytes = 128 * 1024
    /// The most bytes of one request (Events API v2).
    static let requestBytes = 256 * 1024
}
