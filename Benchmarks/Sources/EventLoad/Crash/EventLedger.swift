// SPDX-License-Identifier: Apache-2.0

/// All events that came to the platform from one directory, before a kill and after the recovery.
struct EventLedger: Sendable {
    private struct Key: Hashable {
        let producer: Int
        let number: Int
    }

    private struct Entry {
        let messageID: UInt64
        let bytes: UInt64
    }

    private var entries: [Key: Entry] = [:]
    private var owners: [UInt64: Key] = [:]

    /// Events whose checksum is wrong, or that came twice with other bytes.
    private(set) var altered = 0
    /// Events that came twice under two message ids, and message ids that came with two events.
    private(set) var doubled = 0
    /// Events that came again under their message id, as they may.
    private(set) var repeated = 0
    /// Bodies that were no batches.
    private(set) var garbled = 0

    /// How many different events came.
    var count: Int { self.entries.count }

    /// Takes what came with a request; nil for a body that was no batch.
    mutating func add(_ events: [DeliveredEvent]?) {
        guard let events else {
            self.garbled += 1
            return
        }
        for event in events { self.add(event) }
    }

    /// Takes what another ledger has.
    mutating func merge(_ other: EventLedger) {
        self.altered += other.altered
        self.doubled += other.doubled
        self.repeated += other.repeated
        self.garbled += other.garbled
        for (key, entry) in other.entries { self.add(key, entry) }
    }

    private mutating func add(_ event: DeliveredEvent) {
        guard event.isSound else {
            self.altered += 1
            return
        }
        self.add(
            Key(producer: event.text.producer, number: event.text.number),
            Entry(messageID: event.text.messageID, bytes: event.text.bytes)
        )
    }

    private mutating func add(_ key: Key, _ entry: Entry) {
        if let known = self.entries[key] {
            if known.messageID != entry.messageID {
                self.doubled += 1
            } else if known.bytes != entry.bytes {
                self.altered += 1
            } else {
                self.repeated += 1
            }
            return
        }
        if let owner = self.owners.updateValue(key, forKey: entry.messageID), owner != key { self.doubled += 1 }
        self.entries[key] = entry
    }

    /// Which of a producer's first events did not come.
    func missing(of producer: Int, first count: Int) -> [Int] {
        (0..<count).filter { self.entries[Key(producer: producer, number: $0)] == nil }
    }
}
