// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

/// Finishes erasures that a crash or a failing disk cut short, at the start, before anything is sent or logged.
struct ErasureRecovery {
    private let store: StateStore
    private let tombstones: [Tombstone]

    /// Reads the tombstones of unfinished erasures.
    ///
    /// - Returns: Nil if there are none: nearly always.
    init?(_ store: StateStore) throws(SignetError) {
        let tombstones = try Tombstone.stored(in: store)
        guard !tombstones.isEmpty else { return nil }
        (self.store, self.tombstones) = (store, tombstones)
    }

    /// The highest event number on record.
    ///
    /// A loss of power may have lost its frame; then the journal must not assign the number again.
    func usedSequence() throws(SignetError) -> UInt64 {
        let reach = self.tombstones.map(\.reach).filter { $0 < .max }.max() ?? 0
        return max(reach, try Self.inheritedUpTo(in: self.store))
    }

    /// The highest event number in the inheritances of all installations; see ``AnonymousAttribution/upTo``.
    static func inheritedUpTo(in store: StateStore) throws(SignetError) -> UInt64 {
        var last: UInt64 = 0
        for key in try store.keys(withPrefix: StateKey.identities) {
            do throws(SignetError) {
                guard let value = try store.value(for: key) else { continue }
                let state = try IdentityState(decoding: value)
                last = max(last, state.directory.pastAttributions.last?.upTo ?? 0)
            } catch {
                // An unreadable record is handled when it must change.
                continue
            }
        }
        return last
    }

    /// Finishes the erasures.
    ///
    /// - Parameters:
    ///   - journal: The events.
    ///   - services: The records of services.
    ///   - now: The time in milliseconds since 1970.
    ///   - isShared: True if the directory is one of replicas: then the record of an erasure that rows may lack stays.
    ///   - letGo: Receives the number of erased events.
    /// - Returns: The numbers of erased records of services.
    /// - Throws: `SignetError` from the disk; then nothing may be sent.
    func finish(
        _ journal: Journal,
        _ services: StoredServices,
        now: Int64,
        isShared: Bool,
        letGo: (Int) -> Void
    ) throws(SignetError) -> StoredServices.Counts {
        var records = RecordErasure(self.tombstones, InstallationContexts(store: self.store), services)
        let numbers = try InstallationNumbers(store: self.store)
        let left = SessionRecovery(journal: journal, store: self.store, numbers: numbers)
        for key in try self.store.keys(withPrefix: StateKey.identities) {
            guard let number = try records.number(in: key) else { continue }
            try left.forget(number) { records.subjects.contains($0) }
        }
        try records.eraseAll(upTo: journal.lastSequence, now: now)
        var frames = try FrameErasure(records.subjects, records.findings, self.store)
        _ = try frames.erase(journal, letGo: letGo)
        try records.eraseContexts(now: .zero) { used throws(SignetError) in try journal.noteContexts(&used) }
        do throws(StorageError) {
            // The heirs of events without a user are recorded by event number.
            try journal.sync()
        } catch {
            throw SignetError(error)
        }
        try Tombstone.note(erasedUpTo: journal.lastSequence, in: self.store)
        try self.store.sync()
        for tombstone in self.tombstones where !(isShared && tombstone.isSpreading) {
            try self.store.remove(StateKey.tombstone(tombstone.id))
        }
        return records.findings.serviceRecords
    }
}
