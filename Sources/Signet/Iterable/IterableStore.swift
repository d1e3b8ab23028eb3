//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// The stored data of one installation's visitor: the memory and the records.
///
/// Each record has its own key, so that an answer costs the removal of one.
struct IterableStore: Sendable {
    private let store: StateStore
    private let number: UInt32

    init(_ store: StateStore, installation number: UInt32) {
        self.store = store
        self.number = number
    }

    /// True if anything was ever kept.
    var isThere: Bool {
        self.store.contains(StateKey.iterableMemory(self.number))
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
                if let ordinal = Self.ordinal(of: key), let record = StoredIterableRecord(ordinal: ordinal, value) {
                    records.append(record)
                    continue
                }
                try self.store.put(value, for: StateKey.unreadable(key))
                try self.store.remove(key)
                onDamage("A record of a visitor is not readable; it was set aside.")
            } catch {
                guard error.isDamage else { throw error }
                onDamage("A record of a visitor is damaged: \(error.message)")
            }
        }
        return (memory ?? IterableMemory(), records)
    }

    /// The keys of the records.
    ///
    /// The memory has their range; without it they are searched for.
    private func recordKeys(_ memory: IterableMemory?) throws(SignetError) -> [[UInt8]] {
        guard let memory, memory.reserved - memory.low <= Self.maximumSpan else {
            return try self.store.keys(withPrefix: StateKey.iterableRecords(self.number))
        }
        return (memory.low..<memory.reserved).map { StateKey.iterableRecord(self.number, $0) }
            .filter { self.store.contains($0) }
    }

    private static let maximumSpan: UInt64 = 1 << 16

    private func memory(_ onDamage: (String) -> Void) throws(SignetError) -> IterableMemory? {
        let key = StateKey.iterableMemory(self.number)
        do throws(SignetError) {
            guard let bytes = try self.store.value(for: key) else { return nil }
            if let memory = try IterableMemory(bytes) { return memory }
            try self.store.put(bytes, for: StateKey.unreadable(key))
            onDamage("What was remembered of a visitor is not readable; it was set aside.")
        } catch {
            guard error.isDamage else { throw error }
            onDamage("What was remembered of a visitor is damaged: \(error.message)")
        }
        return nil
    }

    /// Writes the memory.
    ///
    /// When this returns, it survives the death of the process.
    func save(_ memory: IterableMemory) throws(SignetError) {
        try self.store.put(memory.encoded(), for: StateKey.iterableMemory(self.number))
    }

    /// Writes a record.
    func save(_ record: StoredIterableRecord) throws(SignetError) {
        try self.store.put(record.encoded(), for: StateKey.iterableRecord(self.number, record.ordinal))
    }

    /// Removes a record.
    func remove(_ ordinal: UInt64) throws(SignetError) {
        try self.store.remove(StateKey.iterableRecord(self.number, ordinal))
    }

    /// Removes users who are no longer in front of the installation, with their pending work.
    ///
    /// For a visitor who is not in memory.
    func erase(where isErased: (MPID) -> Bool) throws(SignetError) {
        guard self.isThere else { return }
        let (memory, records) = try self.load { _ in }
        var machine = IterableStateMachine(
            restoring: memory,
            records: records,
            isEnabled: true,
            threshold: .max,
            queueLimit: .max
        )
        guard !machine.forget(where: isErased).isEmpty else { return }
        try self.save(machine.memory)
        for record in records where !machine.memory.owns(record.ordinal) { try self.remove(record.ordinal) }
    }

    /// Removes everything.
    func removeAll() throws(SignetError) {
        try self.store.remove(StateKey.iterableMemory(self.number))
        for key in try self.store.keys(withPrefix: StateKey.iterableRecords(self.number)) { try self.store.remove(key) }
    }

    private static func ordinal(of key: [UInt8]) -> UInt64? {
        guard key.count == 13 else { return nil }
        return key.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
