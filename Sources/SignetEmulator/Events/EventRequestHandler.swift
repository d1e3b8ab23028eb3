// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import struct SignetModel.MPID

/// Accepts each batch once and keeps the events of each user: all of them, or the last ones.
struct EventRequestHandler: Sendable {
    /// The totals, forgotten batches included.
    private(set) var totals = EventTotals()
    private var refusals: RingBuffer<RefusedBatch>
    private let eventLimit: Int?
    private var kept: [EmulatedBatch] = []
    private var events: [MPID: [RecordedEvent]] = [:]
    // The number of events and copies that were ever recorded.
    private var recorded = 0
    // The batch position by `source_request_id`. The platform forgets an id after 30 to 60 days; this one with the batch.
    private var positions: [String: Int] = [:]
    // The number of events in the batches that are not forgotten; an empty batch counts as one.
    private var keptEvents = 0
    // The number of forgotten batches.
    private var forgotten = 0
    // The number of forgotten batches that were removed from memory; removal happens in bulk.
    private var swept = 0

    /// Makes a handler without batches.
    ///
    /// - Parameter eventLimit: The number of events to keep; nil keeps all.
    init(keeping eventLimit: Int?) {
        self.eventLimit = eventLimit
        self.refusals = RingBuffer(limit: eventLimit)
    }

    // The number of batches stored so far, forgotten ones included.
    private var stored: Int {
        self.swept + self.kept.count
    }

    /// The batches that are not forgotten, in order of arrival.
    var batches: ArraySlice<EmulatedBatch> {
        self.kept[(self.forgotten - self.swept)...]
    }

    /// The batches refused last.
    var refused: [RefusedBatch] {
        self.refusals.all
    }

    /// Returns the events of a user in order of arrival; copies by an alias come last.
    func events(of mpid: MPID) -> [EmulatedEvent] {
        self.live(of: mpid).map(\.event)
    }

    /// Returns the batches that brought the events of a user, in order of arrival.
    func batches(of mpid: MPID) -> [EmulatedBatch] {
        Set(self.live(of: mpid).map(\.batch)).sorted().map { self.kept[$0 - self.swept] }
    }

    private func live(of mpid: MPID) -> [RecordedEvent] {
        (self.events[mpid] ?? []).filter { $0.batch >= self.forgotten }
    }

    /// Returns the later events of a user with their batches, by position, and the number of all events of the user.
    func recorded(
        of mpid: MPID,
        after number: Int
    ) -> (events: [RecordedEvent], batches: [Int: EmulatedBatch], total: Int) {
        let live = self.live(of: mpid)
        // Numbers ascend within a user: the later events are the last ones.
        let later = Array(live[(live.lastIndex { $0.number <= number }.map { $0 + 1 } ?? 0)...])
        let batches = Dictionary(
            Set(later.map(\.batch)).map { ($0, self.kept[$0 - self.swept]) },
            uniquingKeysWith: { first, _ in first }
        )
        return (later, batches, live.count)
    }

    /// Returns the events with a number or a `source_message_id`, in order of arrival.
    func recorded(named id: String) -> [RecordedEvent] {
        let number = Int(id)
        return self.events.keys.flatMap { self.live(of: $0) }
            .filter { $0.number == number || $0.event.messageID == id }
            .sorted { $0.number < $1.number }
    }

    /// Returns the events of a session, of all its users and without copies, in order of arrival.
    func recorded(inSessionOf event: EmulatedEvent) -> [RecordedEvent] {
        guard let session = event.session else { return [] }
        return self.events.keys.flatMap { self.live(of: $0) }
            .filter {
                $0.event.session == session && $0.event.sessionUUID == event.sessionUUID && $0.event.copiedFrom == nil
            }
            .sorted { $0.number < $1.number }
    }

    private mutating func record(_ event: EmulatedEvent, of batch: Int) {
        self.recorded += 1
        self.events[event.mpid, default: []].append(RecordedEvent(number: self.recorded, batch: batch, event: event))
    }

    /// Counts a repetition and returns the user of the first delivery; nil when the batch is new.
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

    /// Stores a new batch and assigns its events to a user.
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
            self.record(taken, of: position)
        }
        self.keptEvents += Self.weight(batch.events.count)
        self.forget()
    }

    mutating func refuse(_ value: JSONValue, _ refusal: Refusal) {
        let id = value["source_request_id"]?.string
        self.totals.refused += 1
        self.refusals.append(RefusedBatch(requestID: id, reason: refusal.message))
    }

    /// Copies a user's events within a time window, both ends included, to another user.
    mutating func copy(_ window: ClosedRange<Int64>, from source: MPID, to destination: MPID) {
        for kept in self.live(of: source) where window.contains(kept.event.timestamp) {
            self.record(kept.event.copied(to: destination), of: kept.batch)
        }
    }

    private static func weight(_ events: Int) -> Int {
        max(1, events)
    }

    /// Forgets the oldest batches beyond the limit, whole ones only, and never the newest.
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

/// Counts of the events interface, forgotten batches included.
package struct EventTotals: Sendable, Hashable {
    /// Accepted batches.
    package var batches = 0
    /// Events of the accepted batches.
    package var events = 0
    /// Repeated batches.
    package var repetitions = 0
    /// Refused batches.
    package var refused = 0
}
