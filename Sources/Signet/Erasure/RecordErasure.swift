// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Removes erased users from the records of the state log.
struct RecordErasure: Sendable {
    let store: StateStore
    private let contexts: InstallationContexts
    private let services: StoredServices
    /// The services with records, by the number of the installation; nil until they are looked for.
    private var found: [UInt32: Set<UInt8>]?
    var subjects: ErasureSubjects
    var findings = ErasureFindings()

    init(_ tombstones: [Tombstone], _ contexts: InstallationContexts, _ services: StoredServices) {
        self.store = contexts.store
        self.contexts = contexts
        self.services = services
        self.subjects = ErasureSubjects(tombstones)
    }

    /// The maximum number of rounds over the records: damage can bring older records back.
    private static let rounds = 10

    /// Removes erased users from all records, and every byte of the old records from the files.
    ///
    /// - Parameters:
    ///   - sequence: The last event logged before the erasure.
    ///   - now: The time in milliseconds since 1970.
    ///   - present: The numbers of the installations in memory.
    ///   - disk: The disk, on whose thread the records are read.
    ///   - others: Does the same for the records that other tasks may be changing.
    /// - Throws: `SignetError` from the disk.
    mutating func eraseAll(
        upTo sequence: UInt64,
        now: Int64,
        besides present: @escaping @Sendable () -> Set<UInt32>,
        on disk: RuntimeDisk,
        others: (inout RecordErasure) async throws(SignetError) -> Void
    ) async throws(SignetError) {
        for _ in 0..<Self.rounds {
            self.found = nil
            try await others(&self)
            try await self.perform(on: disk) { erasure throws(SignetError) in
                try erasure.eraseOrphans(besides: present)
            }
            for kind in [PersonalRecord.alias, .departedConsents, .consent, .breadcrumbs, .unreadable] {
                try await self.perform(on: disk) { erasure throws(SignetError) in
                    try erasure.erase(kind, upTo: sequence, now: now)
                }
            }
            if try await self.perform(on: disk, { erasure throws(SignetError) in try erasure.eraseBytes() }) { return }
        }
        throw .damagedWithoutEnd
    }

    /// Does a part of an erasure on the disk's own thread; the findings before an error are kept.
    mutating func perform<Value: Sendable>(
        on disk: RuntimeDisk,
        _ work: @escaping @Sendable (inout RecordErasure) throws(SignetError) -> Value
    ) async throws(SignetError) -> Value {
        let before = self
        let (after, result) = try await disk.perform { () throws(SignetError) in
            var erasure = before
            let result = Result { () throws(SignetError) in try work(&erasure) }
            return (erasure, result)
        }
        self = after
        return try result.get()
    }

    /// Does the same at the start, while no other task changes records.
    mutating func eraseAll(upTo sequence: UInt64, now: Int64) throws(SignetError) {
        for _ in 0..<Self.rounds {
            self.found = nil
            for kind in PersonalRecord.allCases { try self.erase(kind, upTo: sequence, now: now) }
            try self.eraseOrphans { [] }
            if try self.eraseBytes() { return }
        }
        throw .damagedWithoutEnd
    }

    /// Removes records of services without an installation, because its identity record was damaged.
    ///
    /// Their users are unknown and may be erased ones. The records are never used again, as such an installation gets
    /// another number.
    private mutating func eraseOrphans(besides present: () -> Set<UInt32>) throws(SignetError) {
        // In this order: an installation has its identity record before those of services.
        let found = try self.services.found()
        guard !found.isEmpty else { return }
        var known = present()
        for key in try self.store.keys(withPrefix: StateKey.identities) {
            if let number = try self.number(in: key) { known.insert(number) }
        }
        for number in found.keys where !known.contains(number) {
            self.findings.damagedCopies += 1
            self.findings.note(try self.services.removeAll(of: number))
        }
    }

    /// Removes the records of services that this runtime was not given, if they may be of an erased user.
    ///
    /// - Parameters:
    ///   - number: The number of the installation.
    ///   - knowsSubject: True if the installation knows an erased user: then all of them go. Otherwise those whose bytes
    ///     name one; a user who was never logged in leaves the installation's record, but not that of a service.
    /// - Throws: `SignetError` from the disk.
    mutating func eraseOtherServices(of number: UInt32, knowsSubject: Bool) throws(SignetError) {
        let found: [UInt32: Set<UInt8>]
        if let known = self.found { found = known } else { found = try self.services.found() }
        self.found = found
        for tag in self.services.others(found[number] ?? []) {
            let records = ServiceRecords(self.store, tag: tag, installation: number)
            var isErased = knowsSubject
            if !isErased { isErased = try self.isNamed(in: records) }
            guard isErased else { continue }
            self.findings.note([tag: try records.removeAll()])
        }
    }

    /// True if a record of a service names an erased user, or cannot be read.
    private mutating func isNamed(in records: ServiceRecords) throws(SignetError) -> Bool {
        for key in try [records.memoryKey] + records.keys() {
            do throws(SignetError) {
                guard let value = try self.store.value(for: key) else { continue }
                guard let named = MPID.named(in: value) else { return true }
                for mpid in named where self.subjects.contains(mpid) { return true }
            } catch {
                guard error.isDamage else { throw error }
                return true
            }
        }
        return false
    }

    /// Removes unused contexts and their bytes, after the events of the erased users were removed.
    ///
    /// - Parameters:
    ///   - now: The uptime.
    ///   - logged: Adds the contexts of the remaining events.
    /// - Throws: `SignetError` from the disk.
    mutating func eraseContexts(
        now: Duration,
        _ logged: (inout Set<UInt32>) throws(SignetError) -> Void
    ) throws(SignetError) {
        let removed = try self.contexts.sweep(now: now, logged)
        guard removed > 0 else { return }
        guard try self.eraseBytes() else { throw .damagedWithoutEnd }
    }

    /// - Returns: True if no further round is needed.
    private mutating func eraseBytes() throws(SignetError) -> Bool {
        let (copies, isClean) = try self.store.erase()
        self.findings.damagedCopies += copies
        return isClean
    }

    /// Changes or removes all records of a kind that hold data of erased users.
    ///
    /// - Parameters:
    ///   - kind: The kind of records.
    ///   - sequence: The last event logged before the erasure.
    ///   - now: The time in milliseconds since 1970.
    /// - Throws: `SignetError` from the disk.
    mutating func erase(_ kind: PersonalRecord, upTo sequence: UInt64, now: Int64) throws(SignetError) {
        for key in try self.store.keys(withPrefix: kind.prefix) {
            try self.erase(key, kind, upTo: sequence, now: now)
        }
    }

    /// The number of the installation with this identity record; nil if it cannot be read.
    func number(in key: [UInt8]) throws(SignetError) -> UInt32? {
        do throws(SignetError) {
            guard let value = try self.store.value(for: key) else { return nil }
            return try IdentityState(decoding: value).number
        } catch {
            // The error is handled when the record must change.
            guard error.isUnreadable else { throw error }
            return nil
        }
    }

    /// Changes or removes a record if it holds data of erased users.
    mutating func erase(
        _ key: [UInt8],
        _ kind: PersonalRecord,
        upTo sequence: UInt64,
        now: Int64
    ) throws(SignetError) {
        let value: [UInt8]?
        do throws(SignetError) {
            value = try self.store.value(for: key)
        } catch {
            guard error.isDamage else { throw error }
            // Otherwise the previous record would come back, with the user's data.
            self.findings.damagedCopies += 1
            if case .identity = kind {
                try self.store.remove(Self.outboxKey(ofIdentity: key))
                try self.contexts.choose(0, for: Self.installation(ofIdentity: key))
            }
            return try self.store.remove(key)
        }
        guard let value else { return }
        if case .identity = kind { try self.eraseServices(ofIdentity: key, value) }
        switch try kind.verdict(on: value, &self.subjects, upTo: sequence, now: now, &self.findings) {
        case .keep: break
        case .remove: try self.store.remove(key)
        case .replace(let other, let isDue): try self.store.put(other, for: key, isDue: isDue)
        }
    }
}

extension RecordErasure {
    /// Removes the records of services for an installation whose current user is erased.
    ///
    /// It runs before the user is erased, because the records are found by the user.
    private mutating func eraseServices(ofIdentity key: [UInt8], _ value: [UInt8]) throws(SignetError) {
        let linked = Self.outboxKey(ofIdentity: key)
        // If the identity record is unreadable, records under its number are orphans.
        guard let number = try self.number(in: key) else {
            try self.contexts.choose(0, for: Self.installation(ofIdentity: key))
            return try self.store.remove(linked)
        }
        let state = try IdentityState(decoding: value)
        try self.eraseContext(Self.installation(ofIdentity: key), state.directory)
        guard let current = state.directory.current, self.subjects.contains(current) else {
            try self.eraseOutbox(linked)
            return try self.eraseServices(of: state)
        }
        // First: a removed identity sync can no longer be carried out.
        try self.store.remove(linked)
        self.findings.note(try self.services.removeAll(of: number))
    }

    /// Removes erased users who are not current from the records of services.
    private mutating func eraseServices(of state: IdentityState) throws(SignetError) {
        let mentioned = state.directory.mentioned
        for definition in self.services.definitions {
            let records = ServiceRecords(self.store, of: definition, installation: state.number)
            guard records.isThere else { continue }
            let (removed, damaged) = try definition.erase(records, mentioned) { self.subjects.contains($0) }
            self.findings.note([definition.tag: removed])
            self.findings.damagedCopies += damaged
        }
        let knowsSubject = mentioned.contains { self.subjects.contains($0) }
        try self.eraseOtherServices(of: state.number, knowsSubject: knowsSubject)
    }

    private static func outboxKey(ofIdentity key: [UInt8]) -> [UInt8] {
        StateKey.outbox(self.installation(ofIdentity: key))
    }

    private static func installation(ofIdentity key: [UInt8]) -> InstallationID {
        InstallationID(String(decoding: key.dropFirst(StateKey.identities.count), as: UTF8.self))
    }

    /// Forgets the context of an installation that mentions an erased user, unless another user is current.
    private mutating func eraseContext(_ id: InstallationID, _ directory: UserDirectory) throws(SignetError) {
        guard directory.mentioned.contains(where: { self.subjects.contains($0) }),
            directory.current.map({ self.subjects.contains($0) }) ?? true
        else { return }
        _ = try self.contexts.forget(try self.contexts.chosen(id), of: id)
    }

    /// Removes erased users who are not current from the identity syncs of other services.
    private mutating func eraseOutbox(_ key: [UInt8]) throws(SignetError) {
        do throws(SignetError) {
            guard let bytes = try self.store.value(for: key) else { return }
            guard var outbox = try Outbox(bytes) else { return try self.store.remove(key) }
            guard outbox.forget(where: { self.subjects.contains($0) }) else { return }
            try self.store.put(outbox.encoded(), for: key)
        } catch {
            guard error.isDamage else { throw error }
            self.findings.damagedCopies += 1
            try self.store.remove(key)
        }
    }
}

extension RecordErasure: BatchErasure {
    func findBatches(upTo sequence: UInt64, now: Int64) throws(SignetError) -> FoundBatches {
        var found = FoundBatches()
        for key in try self.store.keys(withPrefix: StateKey.batches) {
            found.read.insert(key)
            if try self.changes(key, .batch, upTo: sequence, now: now) { found.batches.insert(key) }
        }
        for key in try self.store.keys(withPrefix: StateKey.deadLetterBatches) {
            found.read.insert(key)
            if try self.changes(key, .deadLetterBatch, upTo: sequence, now: now) { found.deadLetters.insert(key) }
        }
        return found
    }

    /// True if an erasure changes or removes a record.
    private func changes(
        _ key: [UInt8],
        _ kind: PersonalRecord,
        upTo sequence: UInt64,
        now: Int64
    ) throws(SignetError) -> Bool {
        let value: [UInt8]?
        do throws(SignetError) {
            value = try self.store.value(for: key)
        } catch {
            guard error.isDamage else { throw error }
            return true
        }
        guard let value else { return false }
        // Findings count once the record changes.
        var (subjects, findings) = (self.subjects, self.findings)
        switch try kind.verdict(on: value, &subjects, upTo: sequence, now: now, &findings) {
        case .keep: return false
        case .remove, .replace: return true
        }
    }

    mutating func erase(_ found: FoundBatches, upTo sequence: UInt64, now: Int64) throws(SignetError) {
        for (keys, kind) in [(found.batches, PersonalRecord.batch), (found.deadLetters, .deadLetterBatch)] {
            for key in keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                try self.erase(key, kind, upTo: sequence, now: now)
            }
        }
    }

    mutating func erased(_ record: BatchRecord) -> BatchRecord? {
        record.removing(&self.subjects)
    }
}

extension SignetError {
    fileprivate static let damagedWithoutEnd = SignetError(
        .diskFailed,
        "The disk damages records each time they are written. Check the disk; the next start continues the erasure."
    )
}
