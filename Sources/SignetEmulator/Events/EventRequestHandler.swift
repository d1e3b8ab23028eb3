//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

import struct SignetModel.MPID

/// Takes batches, each once, and keeps the events of each user: all of them, or the last ones.
struct EventRequestHandler: Sendable {
    /// An event and the place of the batch that brought it, among all batches.
    private struct Kept: Sendable {
        let batch: Int
        let event: EmulatedEvent
    }

    /// What was taken, forgotten or not.
    private(set) var totals = EventTotals()
    private var refusals: RingBuffer<RefusedBatch>
    private let eventLimit: Int?
    private var kept: [EmulatedBatch] = []
    private var events: [MPID: [Kept]] = [:]
    // Where the batch of a `source_request_id` is. The platform forgets an id after 30 to 60 days; this one with the batch.
    private var positions: [String: Int] = [:]
    // How many events there are in the batches that are not forgotten; a batch without any counts as one.
    private var keptEvents = 0
    /// How many batches were forgotten.
    private(set) var forgotten = 0
    // How many of those are gone: from time to time, all that are forgotten go at once.
    private var swept = 0

    /// Makes a handler where nothing has come yet.
    ///
    /// - Parameter eventLimit: How many events are kept; nil for all.
    init(keeping eventLimit: Int?) {
        self.eventLimit = eventLimit
        self.refusals = RingBuffer(limit: eventLimit)
    }

    /// How many batches were stored here, forgotten ones too.
    var stored: Int {
        self.swept + self.kept.count
    }

    /// The batches that are not forgotten, in order of arrival.
    var batches: ArraySlice<EmulatedBatch> {
        self.kept[(self.forgotten - self.swept)...]
    }

    /// The batches that were refused last.
    var refused: [RefusedBatch] {
        self.refusals.all
    }

    /// The events of a user in order of arrival, those that an alias copied last.
    func events(of mpid: MPID) -> [EmulatedEvent] {
        self.live(of: mpid).map(\.event)
    }

    /// The batches that brought the events of a user, in order of arrival.
    func batches(of mpid: MPID) -> [EmulatedBatch] {
        Set(self.live(of: mpid).map(\.batch)).sorted().map { self.kept[$0 - self.swept] }
    }

    private func live(of mpid: MPID) -> [Kept] {
        (self.events[mpid] ?? []).filter { $0.batch >= self.forgotten }
    }

    /// Counts a batch that was here before; nil when it is a new one.
    mutating func recognise(_ batch: BatchRequest) -> MPID? {
        guard let id = batch.requestID, let position = self.positions[id] else { return nil }
        let place = position - self.swept
        self.totals.repetitions += 1
        self.kept[place].deliveries += 1
        if self.kept[place].json != batch.json {
            self.kept[place].contentChanged = true
        }
        return self.kept[place].mpid
    }

    /// Keeps a new batch and gives its events to a user.
    mutating func store(_ batch: BatchRequest, of mpid: MPID, at now: Int64) {
        let position = self.stored
        if let id = batch.requestID {
            self.positions[id] = position
        }
        self.kept.append(
            EmulatedBatch(
                requestID: batch.requestID,
                mpid: mpid,
                environment: batch.environment,
                eventCount: batch.events.count,
                receivedAt: WallClock.date(milliseconds: now),
                json: batch.json
            )
        )
        self.totals.batches += 1
        self.totals.events += batch.events.count
        let stamp = batch.json["timestamp_unixtime_ms"]?.number?.int64 ?? now
        for event in batch.events {
            guard let type = event["event_type"]?.string, let data = event["data"]?.object else { continue }
            let taken = EmulatedEvent(
                type: type,
                mpid: mpid,
                data: data,
                batchID: batch.requestID,
                defaultTimestamp: stamp
            )
            self.events[mpid, default: []].append(Kept(batch: position, event: taken))
        }
        self.keptEvents += Self.weight(batch.events.count)
        self.forget()
    }

    mutating func refuse(_ value: JSONValue, _ refusal: Refusal) {
        let id = value["source_request_id"]?.string
        self.totals.refused += 1
        self.refusals.append(RefusedBatch(requestID: id, reason: refusal.message))
    }

    /// Gives copies of a user's events to another one: those of a time, both ends included.
    mutating func copy(_ window: ClosedRange<Int64>, from source: MPID, to destination: MPID) {
        for kept in self.live(of: source) where window.contains(kept.event.timestamp) {
            let copy = Kept(batch: kept.batch, event: kept.event.copied(to: destination))
            self.events[destination, default: []].append(copy)
        }
    }

    /// Goes on counting where another handler was.
    mutating func restore(_ totals: EventTotals) {
        self.totals = totals
    }
}

extension EventRequestHandler {
    private static func weight(_ events: Int) -> Int {
        max(1, events)
    }

    /// Forgets the oldest batches that the limit does not need, whole ones, and never the newest.
    private mutating func forget() {
        guard let eventLimit else { return }
        while self.forgotten < self.stored - 1 {
            let oldest = self.kept[self.forgotten - self.swept]
            let weight = Self.weight(oldest.eventCount)
            guard self.keptEvents - weight >= eventLimit else { break }
            self.keptEvents -= weight
            if let id = oldest.requestID, self.positions[id] == self.forgotten {
                self.positions[id] = nil
            }
            self.forgotten += 1
        }
        if 2 * (self.forgotten - self.swept) > self.kept.count { self.sweep() }
    }

    private mutating func sweep() {
        self.kept.removeFirst(self.forgotten - self.swept)
        self.swept = self.forgotten
        for mpid in Array(self.events.keys) {
            let live = self.live(of: mpid)
            self.events[mpid] = live.isEmpty ? nil : live
        }
    }
}
