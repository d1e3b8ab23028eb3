// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

/// The persisted profile of one installation: the memory, and each event under a key of its own.
struct InfobipStore: Sendable {
    private let records: ServiceRecords
    private var store: StateStore { self.records.store }
    /// Persists personal data if true.
    let persistsUser: Bool

    init(_ records: ServiceRecords, persistsUser: Bool) {
        self.records = records
        self.persistsUser = persistsUser
    }

    /// True if a memory was ever persisted.
    var isThere: Bool {
        self.records.isThere
    }

    /// Reads the persisted memory and changes nothing; nil if there is none.
    ///
    /// - Throws: The error of the disk; one with `isDamage` for a record that cannot be read.
    func memory() throws(SignetError) -> InfobipMemory? {
        try self.store.value(for: self.records.memoryKey).map { bytes throws(SignetError) in
            try InfobipMemory(decoding: bytes)
        }
    }

    /// Reads the persisted memory; nil if there is none.
    ///
    /// An unreadable record is quarantined and reported, and the profile begins anew. If personal data must not be on
    /// disk, those of an earlier run are removed.
    func load(onDamage: (String) -> Void) throws(SignetError) -> InfobipMemory? {
        let key = self.records.memoryKey
        guard let bytes = try self.bytes(for: key, onDamage) else {
            // Damaged: the record before it may hold more.
            if !self.persistsUser, self.isThere { try self.scrub() }
            return nil
        }
        let memory: InfobipMemory
        do throws(SignetError) {
            memory = try InfobipMemory(decoding: bytes)
        } catch {
            guard error.isDamage else { throw error }
            if self.persistsUser {
                try self.store.put(bytes, for: StateKey.unreadable(key))
                try self.store.remove(key)
                onDamage("The record of an Infobip profile cannot be read. It was quarantined.")
            } else {
                try self.scrub()
                onDamage("The record of an Infobip profile cannot be read. It was removed.")
            }
            return nil
        }
        let events = try self.persistsUser ? [] : self.records.keys()
        guard !self.persistsUser, memory != memory.withoutUser || !events.isEmpty else { return memory }
        try self.save(memory)
        for key in events { try self.store.remove(key) }
        // The log keeps overwritten records until it is compacted.
        _ = try self.store.erase()
        return memory.withoutUser
    }

    private func scrub() throws(SignetError) {
        try self.removeAll()
        _ = try self.store.erase()
    }

    /// Removes the quarantined records of all profiles, for a disk that must not have personal data any
    /// more.
    static func scrubCopies(in store: StateStore, of service: ServiceDefinition) throws(SignetError) {
        let copies = try store.keys(withPrefix: StateKey.unreadables).filter(service.isUnreadableMemory)
        guard !copies.isEmpty else { return }
        for key in copies { try store.remove(key) }
        _ = try store.erase()
    }

    /// The number of the installation.
    var number: UInt32 { self.records.number }

    /// True if the memory on disk is marked: a start finds the profile.
    var isMarked: Bool { self.records.isMarked }

    /// Persists the memory; after this returns, it survives the death of the process.
    ///
    /// It is marked if there is work that a later process must find.
    func save(_ memory: InfobipMemory) throws(SignetError) {
        let kept = self.persistsUser ? memory : memory.withoutUser
        try self.records.put(memory: kept.encoded(), isDue: kept.isDue)
    }

    /// Persists an event.
    func save(_ event: StoredInfobipEvent) throws(SignetError) {
        try self.store.put(event.encoded(), for: self.records.key(event.ordinal))
    }

    /// Reads an event; nil for one that is gone, or damaged, which is reported.
    func event(_ ordinal: UInt64, onDamage: (String) -> Void) throws(SignetError) -> [UInt8]? {
        guard let bytes = try self.bytes(for: self.records.key(ordinal), onDamage) else { return nil }
        if let event = StoredInfobipEvent(bytes) { return event.element }
        onDamage("An event of an Infobip profile cannot be read. It was left out.")
        return nil
    }

    /// Forgets the data left of the outgoing person, while no manager has the profile in memory.
    ///
    /// An unreadable record may be theirs, and is removed.
    ///
    /// - Returns: The number of removed events.
    func forgetLeft(onDamage: (String) -> Void) throws(SignetError) -> Int {
        guard self.isThere else { return 0 }
        guard let memory = try self.load(onDamage: onDamage) else { return try self.removeAll() }
        var machine = InfobipStateMachine(restoring: memory, systemHash: ("", ""))
        var count = 0
        let actions = machine.forgetLeft()
        if machine.memory != memory { try self.save(machine.memory) }
        for case .drop(let ordinals) in actions { count += ordinals.count }
        try self.removeStrays(besides: machine.memory.events)
        return count
    }

    /// Removes events that the memory does not count: a process died after it was persisted, and before they were
    /// removed.
    func removeStrays(besides events: [UInt64]) throws(SignetError) {
        let events = Set(events)
        for key in try self.records.keys() {
            guard let ordinal = self.records.ordinal(of: key), !events.contains(ordinal) else { continue }
            try self.store.remove(key)
        }
    }

    func remove(_ ordinals: [UInt64]) throws(SignetError) {
        for ordinal in ordinals { try self.store.remove(self.records.key(ordinal)) }
    }

    /// Removes everything.
    ///
    /// - Returns: The number of removed events.
    @discardableResult
    func removeAll() throws(SignetError) -> Int {
        try self.records.removeAll()
    }

    private func bytes(for key: [UInt8], _ onDamage: (String) -> Void) throws(SignetError) -> [UInt8]? {
        do throws(SignetError) {
            return try self.store.value(for: key)
        } catch {
            guard error.isDamage else { throw error }
            onDamage("A record of an Infobip profile is damaged: \(error.message)")
            return nil
        }
    }
}
