//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

import struct SignetModel.MPID

/// Takes batches, each once, and keeps the events of each user.
struct EventDesk: Sendable {
    private(set) var batches: [EmulatedBatch] = []
    private(set) var refused: [RefusedBatch] = []
    private var events: [MPID: [EmulatedEvent]] = [:]
    // Where the batch of a `source_request_id` is. The platform forgets an id after 30 to 60 days; this one never does.
    private var positions: [String: Int] = [:]

    /// The events of a user in order of arrival, those that an alias copied last.
    func events(of mpid: MPID) -> [EmulatedEvent] {
        self.events[mpid] ?? []
    }

    /// Counts a batch that was here before; nil when it is a new one.
    mutating func recognise(_ batch: BatchRequest) -> MPID? {
        guard let id = batch.requestID, let position = self.positions[id] else { return nil }
        self.batches[position].deliveries += 1
        if self.batches[position].json != batch.json {
            self.batches[position].contentChanged = true
        }
        return self.batches[position].mpid
    }

    /// Keeps a new batch and gives its events to a user.
    mutating func store(_ batch: BatchRequest, of mpid: MPID, at now: Int64) {
        if let id = batch.requestID {
            self.positions[id] = self.batches.count
        }
        self.batches.append(
            EmulatedBatch(
                requestID: batch.requestID,
                mpid: mpid,
                environment: batch.environment,
                eventCount: batch.events.count,
                receivedAt: WallClock.date(milliseconds: now),
                json: batch.json
            )
        )
        let stamp = batch.json["timestamp_unixtime_ms"]?.number?.int64 ?? now
        for event in batch.events {
            guard let type = event["event_type"]?.string, let data = event["data"]?.object else { continue }
            self.events[mpid, default: []].append(
                EmulatedEvent(type: type, mpid: mpid, data: data, batchID: batch.requestID, defaultTimestamp: stamp)
            )
        }
    }

    mutating func refuse(_ value: JSONValue, _ refusal: Refusal) {
        let id = value["source_request_id"]?.string
        self.refused.append(RefusedBatch(requestID: id, reason: refusal.message))
    }

    /// Gives copies of a user's events to another one: those of a time, both ends included.
    mutating func copy(_ window: ClosedRange<Int64>, from source: MPID, to destination: MPID) {
        for event in self.events(of: source) where window.contains(event.timestamp) {
            self.events[destination, default: []].append(event.copied(to: destination))
        }
    }
}
