// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// Decides how long a replica knows the number of an installation that is in a shared store.
///
/// ```
/// given --last object of the installation leaves memory--> idle --nothing waits under it--> forgotten
/// idle --object comes back--> given
/// ```
///
/// An installation whose row was made anew gets another number, so that events of the one before are told apart by theirs.
struct ReplicaNumbers: Sendable {
    /// A number that no object in memory uses.
    struct Idle: Sendable, Hashable {
        let number: UInt32
        /// Tells this time without an object from an earlier one.
        fileprivate let turn: Int
    }

    private struct Entry {
        var record: NumberRecord
        var objects = 0
        /// The ordinal of the release that made it idle.
        var turn = 0
    }

    private var entries: [UInt32: Entry] = [:]
    /// The numbers that new events get.
    private var current: [InstallationID: UInt32] = [:]
    /// Numbers that became idle and were not looked at.
    private var released: [UInt32] = []
    private var lastTurn = 0

    /// The number of numbers.
    var count: Int {
        self.entries.count
    }

    /// The number of numbers that became idle and were not looked at.
    var releasedCount: Int {
        self.released.count
    }

    /// The number of an installation's new events; nil if it has none.
    func number(of id: InstallationID) -> UInt32? {
        self.current[id]
    }

    /// The stamp of the row that the events of a number belong to; nil if unknown.
    func stamp(of number: UInt32) -> UUID? {
        self.entries[number]?.record.stamp
    }

    /// True if a number is not forgotten.
    func isKnown(_ number: UInt32) -> Bool {
        self.entries[number] != nil
    }

    /// Takes over a number of an earlier process; nothing uses it yet.
    mutating func restore(_ number: UInt32, _ record: NumberRecord) {
        let id = record.id
        self.entries[number] = Entry(record: record)
        self.current[id] = max(number, self.current[id] ?? 0)
        self.released.append(number)
    }

    /// Adds a number for one object.
    mutating func add(_ number: UInt32, _ record: NumberRecord) {
        self.entries[number] = Entry(record: record, objects: 1)
        self.current[record.id] = number
    }

    /// The record of a number; nil if it is not known.
    func record(of number: UInt32) -> NumberRecord? {
        self.entries[number]?.record
    }

    /// Changes the record of a number.
    mutating func set(_ record: NumberRecord, of number: UInt32) {
        self.entries[number]?.record = record
    }

    /// The numbers whose identify has identities of a visitor.
    var withIdentities: [(number: UInt32, record: NumberRecord)] {
        self.entries.compactMap { number, entry in
            if case .identities? = entry.record.pending { (number, entry.record) } else { nil }
        }
    }

    /// Gives an installation's number to one more object.
    ///
    /// - Parameters:
    ///   - id: The installation's id.
    ///   - stamp: The stamp of its row; nil if the row was not read yet, or not made.
    ///   - isMissing: True if there is no row: a number with a stamp is of one that is gone.
    /// - Returns: The number and the stamp that it is known by; nil if there is none for this row.
    mutating func use(
        _ id: InstallationID,
        stamp: UUID?,
        isMissing: Bool = false
    ) -> (number: UInt32, stamp: UUID?)? {
        guard let number = self.current[id], let known = self.entries[number]?.record else { return nil }
        guard !isMissing || known.stamp == nil else { return nil }
        guard stamp == nil || known.stamp == nil || known.stamp == stamp else { return nil }
        self.entries[number]?.objects += 1
        return (number, known.stamp)
    }

    /// Notes that an object of a number has left memory.
    mutating func release(_ number: UInt32) {
        guard let left = self.entries[number]?.objects, left > 0 else { return }
        self.entries[number]?.objects = left - 1
        guard left == 1 else { return }
        self.lastTurn += 1
        self.entries[number]?.turn = self.lastTurn
        self.released.append(number)
    }

    /// Takes the numbers that became idle since the last call, and those of some others that are idle.
    mutating func takeIdle(besides others: Set<UInt32>) -> [Idle] {
        defer { self.released = [] }
        return others.union(self.released).compactMap { number in
            guard let entry = self.entries[number], entry.objects == 0 else { return nil }
            return Idle(number: number, turn: entry.turn)
        }
    }

    /// True if no object has used a number since.
    func isStill(_ idle: Idle) -> Bool {
        self.entries[idle.number].map { $0.objects == 0 && $0.turn == idle.turn } ?? false
    }

    /// Forgets a number.
    mutating func forget(_ number: UInt32) {
        guard let entry = self.entries.removeValue(forKey: number) else { return }
        let id = entry.record.id
        if self.current[id] == number { self.current[id] = nil }
        // Frees the memory of a crowd that has passed.
        if self.entries.isEmpty { (self.entries, self.current) = ([:], [:]) }
    }
}

/// The record of a number: the installation, and the stamp of the row that its events belong to.
///
/// Without a shared store the record is the id alone, which never begins like a version of this one.
struct NumberRecord: StoredRecord, Sendable, Hashable {
    static let subject = "the number of an installation"
    let id: InstallationID
    /// Nil if the row was not read when the events were logged.
    let stamp: UUID?
    /// The identify that the runtime owes to the events without a user; nil if the app decides.
    let pending: StoredIdentify?

    init(_ id: InstallationID, stamp: UUID?, pending: StoredIdentify? = nil) {
        self.id = id
        self.stamp = stamp
        self.pending = pending
    }

    /// The record with what an object of the installation knows.
    func knowing(_ stamp: UUID?, _ wish: IdentifyWish) -> NumberRecord {
        NumberRecord(self.id, stamp: self.stamp ?? stamp, pending: wish.pending(recorded: self.pending))
    }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("app", self.id.rawValue)
        encoder.write("stamp", self.stamp)
        encoder.write("identify", self.pending)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.id = InstallationID(try decoder.read("app"))
        self.stamp = try decoder.optional("stamp")
        self.pending = try decoder.optional("identify")
    }

    /// Reads the bytes on disk, of either form.
    ///
    /// - Throws: `newerFormat`; `diskFailed`, with ``SignetError/isDamage``, for anything else.
    init(either bytes: [UInt8]) throws(SignetError) {
        // No id has a control character.
        if let first = bytes.first, first < 0x20 {
            try self.init(decoding: bytes)
        } else {
            self.init(InstallationID(String(decoding: bytes, as: UTF8.self)), stamp: nil)
        }
    }
}
