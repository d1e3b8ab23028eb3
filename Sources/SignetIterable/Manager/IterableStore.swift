// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

/// The stored data of one installation's visitor: the memory and the records.
///
/// Each record has its own key, so that an answer costs the removal of one.
struct IterableStore: Sendable {
    private let records: ServiceRecords
    private var store: StateStore { self.records.store }

    init(_ records: ServiceRecords) {
        self.records = records
    }

    /// True if anything was ever kept.
    var isThere: Bool {
        self.records.isThere
    }

    /// Reads everything.
    ///
    /// Unreadable data is moved to another key and reported; the visitor begins anew rather than not at all.
    func load(onDamage: (String) -> Void) throws(SignetError) -> (IterableMemory, [StoredIterableRecord]) {
        guard self.isThere else { return (IterableMemory(), []) }
        let memory = try self.memory(onDamage)
        var records: [StoredIterableRecord] = []
        for key in try self.recordKeys(memory) {
            do throws(SignetError) {
                guard let value = try self.store.value(for: key) else { continue }
                if let record = StoredIterableRecord(value), record.ordinal == self.records.ordinal(of: key) {
                    records.append(record)
                    continue
                }
                try self.store.put(value, for: StateKey.unreadable(key))
                try self.store.remove(key)
                onDamage("A record of an Iterable visitor cannot be read. It was quarantined.")
            } catch {
                guard error.isDamage else { throw error }
                onDamage("A record of an Iterable visitor is damaged: \(error.message)")
            }
        }
        return (memory ?? IterableMemory(), records)
    }

    /// The work that the stored data shows; changes nothing.
    ///
    /// - Throws: The error of the disk; one with `isDamage` for a memory that cannot be read.
    func due(isOptedOut: Bool) throws(SignetError) -> ServiceDue {
        guard let bytes = try self.store.value(for: self.records.memoryKey) else { return .nothing }
        let memory = try IterableMemory(decoding: bytes)
        let ordinals = try self.recordKeys(memory).compactMap { self.records.ordinal(of: $0) }
        return memory.due(ordinals, isOptedOut: isOptedOut)
    }

    /// The keys of the records.
    ///
    /// The memory has their range; without it they are searched for.
    private func recordKeys(_ memory: IterableMemory?) throws(SignetError) -> [[UInt8]] {
        guard let memory, memory.reserved - memory.low <= Self.maximumSpan else {
            return try self.records.keys()
        }
        return (memory.low..<memory.reserved).map { self.records.key($0) }
            .filter { self.store.contains($0) }
    }

    private static let maximumSpan: UInt64 = 1 << 16

    private func memory(_ onDamage: (String) -> Void) throws(SignetError) -> IterableMemory? {
        let key = self.records.memoryKey
        do throws(SignetError) {
            guard let bytes = try self.store.value(for: key) else { return nil }
            do throws(SignetError) {
                return try IterableMemory(decoding: bytes)
            } catch {
                guard error.isDamage else { throw error }
                try self.store.put(bytes, for: StateKey.unreadable(key))
                onDamage("The state of an Iterable visitor cannot be read. It was quarantined.")
            }
        } catch {
            guard error.isDamage else { throw error }
            onDamage("The state of an Iterable visitor is damaged: \(error.message)")
        }
        return nil
    }

    /// The number of the installation.
    var number: UInt32 { self.records.number }

    /// True if the memory on disk is marked: a start finds the visitor.
    var isMarked: Bool { self.records.isMarked }

    /// Writes the memory.
    ///
    /// When this returns, it survives the death of the process.
    ///
    /// - Parameters:
    ///   - memory: The memory.
    ///   - isDue: True if there is work that a later process must find.
    /// - Throws: The error of the disk.
    func save(_ memory: IterableMemory, isDue: Bool) throws(SignetError) {
        try self.records.put(memory: memory.encoded(), isDue: isDue)
    }

    /// Writes a record.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - isOfUser: True for a user's record, which a later process must find; a visitor's waits.
    /// - Throws: The error of the disk.
    func save(_ record: StoredIterableRecord, isOfUser: Bool) throws(SignetError) {
        try self.store.put(record.encoded(), for: self.records.key(record.ordinal), isDue: isOfUser)
    }

    /// Removes a record.
    func remove(_ ordinal: UInt64) throws(SignetError) {
        try self.store.remove(self.records.key(ordinal))
    }

    /// Removes users who are no longer in front of the installation, with their pending work.
    ///
    /// For a visitor who is not in memory.
    ///
    /// - Returns: The number of removed records.
    func erase(where isErased: (MPID) -> Bool) throws(SignetError) -> Int {
        guard self.isThere else { return 0 }
        let (memory, records) = try self.load { _ in }
        var machine = IterableStateMachine(
            restoring: memory,
            records: records,
            isEnabled: true,
            threshold: .max,
            queueLimit: .max
        )
        guard !machine.forget(where: isErased).isEmpty else { return 0 }
        // What matches is not known here: the next visit finds out.
        try self.save(machine.memory, isDue: machine.owesWork || machine.memory.hasVisitor)
        let removed = records.filter { !machine.memory.owns($0.ordinal) }
        for record in removed { try self.remove(record.ordinal) }
        return removed.count
    }

    /// Removes everything.
    func removeAll() throws(SignetError) {
        try self.records.removeAll()
    }
}
