// SPDX-License-Identifier: Apache-2.0

import CSignetJournal

/// The place of the newest record of each key: 32 bytes per entry, 40 to 60 with the free places.
///
/// It is an open-addressing table with linear probing, in 256 parts that grow and shrink one by one, so that no put waits
/// for all entries to move.
struct KeyIndex: Sendable {
    /// One record.
    struct Entry: Sendable, Equatable {
        let hash: KeyHash
        /// The slot of its file in the upper 16 bits, the offset in the lower 48.
        private(set) var place: UInt64
        /// The lengths of key and value, a bit that distinguishes an entry from a free place, and the mark of due work.
        fileprivate var lengths: UInt64

        private static let taken: UInt64 = 1 << 63
        private static let due: UInt64 = 1 << 62

        init(hash: KeyHash, slot: Int, offset: UInt64, keyLength: Int, valueLength: Int, isDue: Bool = false) {
            self.hash = hash
            self.place = UInt64(UInt16(slot)) << 48 | offset
            self.lengths = Self.taken | (isDue ? Self.due : 0) | UInt64(keyLength) << 32 | UInt64(valueLength)
        }

        init(hash: KeyHash, _ header: FrameHeader, slot: Int, offset: UInt64) {
            self.init(
                hash: hash,
                slot: slot,
                offset: offset,
                keyLength: header.keyLength,
                valueLength: header.valueLength,
                isDue: header.kind == .putDue
            )
        }

        fileprivate init() {
            self.hash = KeyHash(first: 0, second: 0)
            self.place = 0
            self.lengths = 0
        }

        var slot: Int { Int(self.place >> 48) }
        var offset: UInt64 { self.place & (1 << 48 - 1) }
        var keyLength: Int { Int(self.lengths >> 32 & 0xFFFF) }
        var valueLength: Int { Int(self.lengths & 0xFFFF_FFFF) }
        /// True if the runtime has work to do for the record.
        var isDue: Bool { self.lengths & Self.due != 0 }
        /// The length of its frame, in bytes.
        var length: Int { FrameHeader.size + self.keyLength + self.valueLength }

        fileprivate var isFree: Bool { self.lengths == 0 }

        /// Moves the record to another place.
        mutating func move(slot: Int, offset: UInt64) {
            self.place = UInt64(UInt16(slot)) << 48 | offset
        }
    }

    /// The entries whose hash has one lowest byte.
    struct Part: Sendable {
        private var places: [Entry] = []
        private var count = 0

        /// Returns the position of the entry, or of the free place for it.
        private func position(of hash: KeyHash) -> Int {
            var position = self.home(of: hash)
            while true {
                let entry = self.places[position]
                if entry.isFree || entry.hash == hash { return position }
                position = self.after(position)
            }
        }

        private func home(of hash: KeyHash) -> Int {
            Int(hash.second.multipliedFullWidth(by: UInt64(self.places.count)).high)
        }

        private func after(_ position: Int) -> Int {
            position + 1 == self.places.count ? 0 : position + 1
        }

        fileprivate func find(_ hash: KeyHash) -> Entry? {
            guard self.count > 0 else { return nil }
            let entry = self.places[self.position(of: hash)]
            return entry.isFree ? nil : entry
        }

        /// Lets the processor fetch the line of memory where a search begins, and the two after it.
        fileprivate func prefetch(_ hash: KeyHash) {
            guard !self.places.isEmpty else { return }
            self.places.withUnsafeBufferPointer { places in
                guard let start = places.baseAddress else { return }
                let home = self.home(of: hash)
                // Two entries a line.
                for line in 0..<3 { signet_prefetch(start + min(home + 2 * line, places.count - 1)) }
            }
        }

        fileprivate mutating func put(_ entry: Entry) -> Entry? {
            if (self.count + 1) * 5 > self.places.count * 4 {
                self.resize(to: max(4, self.places.count + self.places.count / 2))
            }
            let position = self.position(of: entry.hash)
            let old = self.places[position]
            self.places[position] = entry
            if !old.isFree { return old }
            self.count += 1
            return nil
        }

        private mutating func resize(to count: Int) {
            let old = self.places
            self.places = Array(repeating: Entry(), count: count)
            for entry in old where !entry.isFree {
                self.places[self.position(of: entry.hash)] = entry
            }
        }

        fileprivate mutating func remove(_ hash: KeyHash) -> Entry? {
            guard self.count > 0 else { return nil }
            var hole = self.position(of: hash)
            let old = self.places[hole]
            guard !old.isFree else { return nil }
            self.count -= 1
            // Fills the hole with entries that had to go past it, so that no search ends too early.
            var next = self.after(hole)
            while !self.places[next].isFree {
                let home = self.home(of: self.places[next].hash)
                if self.distance(from: home, to: next) >= self.distance(from: hole, to: next) {
                    self.places[hole] = self.places[next]
                    hole = next
                }
                next = self.after(next)
            }
            self.places[hole] = Entry()
            // Records that come and go: a crowd that has passed keeps no places.
            if self.places.count >= 32, self.count * 8 < self.places.count { self.resize(to: self.places.count / 2) }
            return old
        }

        private func distance(from start: Int, to end: Int) -> Int {
            end >= start ? end - start : end - start + self.places.count
        }

        fileprivate func append(to list: inout [Entry], where isWanted: (Entry) -> Bool) {
            for entry in self.places where !entry.isFree && isWanted(entry) {
                list.append(entry)
            }
        }

        /// The entries of due records, in the order of their places.
        var due: [Entry] {
            var list: [Entry] = []
            self.append(to: &list) { $0.isDue }
            list.sort { $0.place < $1.place }
            return list
        }

        fileprivate var bytes: Int { self.places.count * MemoryLayout<Entry>.stride }
    }

    /// The number of parts.
    static let partCount = 256

    private(set) var parts = [Part](repeating: Part(), count: Self.partCount)

    private(set) var count = 0

    /// The number of due records.
    private(set) var dueCount = 0

    /// The bytes of the frames of all entries.
    private(set) var frameBytes: UInt64 = 0

    /// The memory that the tables take, in bytes.
    var memory: Int { self.parts.reduce(0) { $0 + $1.bytes } }

    func find(_ hash: KeyHash) -> Entry? {
        self.parts[Int(hash.first & 0xFF)].find(hash)
    }

    mutating func put(_ entry: Entry) {
        self.frameBytes += UInt64(entry.length)
        if entry.isDue { self.dueCount += 1 }
        if let old = self.parts[Int(entry.hash.first & 0xFF)].put(entry) {
            self.frameBytes -= UInt64(old.length)
            if old.isDue { self.dueCount -= 1 }
        } else {
            self.count += 1
        }
    }

    /// Puts entries, one after the other.
    ///
    /// In a large index each put waits for memory. Their places are fetched together, so that the waits are one.
    mutating func put(_ entries: [Entry]) {
        for entry in entries { self.parts[Int(entry.hash.first & 0xFF)].prefetch(entry.hash) }
        for entry in entries { self.put(entry) }
    }

    mutating func remove(_ hash: KeyHash) {
        guard let old = self.parts[Int(hash.first & 0xFF)].remove(hash) else { return }
        self.frameBytes -= UInt64(old.length)
        if old.isDue { self.dueCount -= 1 }
        self.count -= 1
    }

    /// Returns the entries that a test accepts, in the order of their places.
    func entries(where isWanted: (Entry) -> Bool = { _ in true }) -> [Entry] {
        var list: [Entry] = []
        list.reserveCapacity(self.count)
        for part in self.parts {
            part.append(to: &list, where: isWanted)
        }
        list.sort { $0.place < $1.place }
        return list
    }
}

/// Two 64-bit hashes of a key, with a new seed in each process, and its first byte, which tells the kind of its record.
///
/// They represent the key in memory. Two keys of one log with equal hashes are not expected in the lifetime of a
/// machine; reading a value still compares the key.
struct KeyHash: Sendable, Hashable {
    /// The first byte of the key lies in the bits from 8 on; those below choose the part of the index.
    let first: UInt64
    let second: UInt64

    init(_ key: UnsafeRawBufferPointer) {
        var hasher = Hasher()
        hasher.combine(bytes: key)
        var other = hasher
        other.combine(0xA5 as UInt8)
        let hash = UInt64(bitPattern: Int64(hasher.finalize()))
        self.first = hash & ~0xFF00 | UInt64(key.first ?? 0) << 8
        self.second = UInt64(bitPattern: Int64(other.finalize()))
    }

    /// True if the key may begin with a prefix; false if its first byte is another one.
    func mayBegin(with prefix: [UInt8]) -> Bool {
        guard let byte = prefix.first else { return true }
        return UInt8(truncatingIfNeeded: self.first >> 8) == byte
    }

    init(_ key: [UInt8]) {
        self = key.withUnsafeBytes { KeyHash($0) }
    }

    init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }
}
