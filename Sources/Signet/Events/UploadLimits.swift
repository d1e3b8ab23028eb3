//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Sizes and times of delivery.
struct UploadLimits: Sendable {
    /// Events of one batch (the vendors' SDKs use 100).
    var events = 100
    /// Bytes of events that are enough for a batch; the Events API allows 128 KB with everything.
    var bytes = 100 * 1024
    /// Bytes of one batch with more than one event.
    var maximumBatchBytes = UploadLimits.batchBytes
    /// Requests under way at once.
    var inFlight = 4
    /// How long events wait for company.
    var interval: Duration
    /// How long prompt events wait for company.
    var priorityUploadDelay: Duration
    /// Batches of one request; 1 where each is sent alone.
    var batchesPerRequest = 1
    /// Bytes of one request with several batches.
    var maximumRequestBytes = UploadLimits.requestBytes
    /// Batches a second; nil for as many as there are.
    var batchesPerSecond: Double?
    /// How long events are kept.
    var maximumAge: Duration = .seconds(90 * 86_400)
    /// Bytes of events of one installation that may wait for its first user.
    var bytesWithoutUser = 1 << 20

    /// The most bytes of one batch (Events API v2).
    static let batchBytes = 128 * 1024
    /// The most bytes of one request (Events API v2).
    static let requestBytes = 256 * 1024
}
