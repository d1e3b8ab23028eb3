// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

/// A reset or a removal of an installation, recorded on disk before anything is removed.
///
/// The call, an open, `run()` or the next start finishes it.
/// Every step may be repeated, so a kill between two steps costs nothing. Records under the number belong to this
/// installation alone, as a number is never reused. Records under the id belong to it only while the identity record
/// has the number: after that, the id may belong to a new installation.
struct InstallationReset: EventRemoval, Hashable {
    /// The installation's number in tags, never reused.
    let number: UInt32
    let id: InstallationID

    private static let portion = 4096

    /// The key of the record on disk.
    var key: [UInt8] {
        StateKey.reset(self.number, self.id)
    }

    /// The value of the record on disk: the id.
    var value: [UInt8] {
        Array(self.id.rawValue.utf8)
    }

    /// The unfinished resets on disk.
    static func stored(in store: StateStore) throws(SignetError) -> [InstallationReset] {
        try store.keys(withPrefix: StateKey.resets).compactMap { key in
            guard let number: UInt32 = StateKey.number(key.dropFirst(StateKey.resets.count).prefix(4)) else {
                return nil
            }
            let id = InstallationID(
                String(decoding: key.dropFirst(StateKey.resets.count + 4), as: UTF8.self)
            )
            return InstallationReset(number: number, id: id)
        }
    }

    /// Finishes unfinished resets at the start, before anything is sent or logged.
    static func finishAll(
        in store: StateStore,
        _ journal: Journal,
        removed: (RemovedEvents, StoredServices.Counts) -> Void
    ) throws(SignetError) {
        let resets = try Self.stored(in: store)
        guard !resets.isEmpty else { return }
        let scattered = try ScatteredRecords(of: resets, in: store)
        for reset in resets { removed(RemovedEvents(), try reset.removeState(from: store, scattered)) }
        var events = RemovedEvents()
        defer { removed(events, [:]) }
        try Self.removeEvents(of: Set(resets.map(\.number)), from: store, journal, &events)
        do throws(StorageError) { try journal.sync() } catch { throw SignetError(error) }
        try store.sync()
        for reset in resets { try reset.end(in: store) }
    }

    /// Removes the installation's records, the identity record last: it shows that the others belong to this installation.
    ///
    /// - Parameters:
    ///   - store: The records.
    ///   - scattered: The records that only a scan finds; read now if nil.
    /// - Returns: The numbers of removed records of services.
    /// - Throws: `SignetError` from the disk.
    @discardableResult
    func removeState(
        from store: StateStore,
        _ scattered: ScatteredRecords? = nil
    ) throws(SignetError) -> StoredServices.Counts {
        let found = if let scattered { scattered } else { try ScatteredRecords(of: [self], in: store) }
        let records = try found.removeNumbered(of: self.number, from: store)
        try store.remove(StateKey.dueOptOut(self.number))
        try store.remove(StateKey.departedConsents(self.number))
        try store.remove(StateKey.lastUse(self.number))
        guard try self.hasID(in: store) else { return records }
        try store.remove(StateKey.session(self.id))
        try store.remove(StateKey.launch(self.id))
        try store.remove(StateKey.chosenContext(self.id))
        try store.remove(StateKey.outbox(self.id))
        try found.removeAliases(of: self.id, from: store)
        try store.remove(StateKey.identity(self.id))
        return records
    }

    /// Returns true if the id still belongs to this installation, not to a newer one.
    private func hasID(in store: StateStore) throws(SignetError) -> Bool {
        do throws(SignetError) {
            guard let value = try store.value(for: StateKey.identity(self.id)) else { return false }
            return try IdentityState(decoding: value).number == self.number
        } catch {
            // No installation opens with a damaged record, so it is not a newer one's.
            guard error.isDamage else { throw error }
            return true
        }
    }

    /// Removes its batches in flight and its dead letters, then its events.
    func removeEvents(
        from store: StateStore,
        _ journal: Journal,
        _ removed: inout RemovedEvents
    ) throws(SignetError) {
        try Self.removeEvents(of: [self.number], from: store, journal, &removed)
    }

    /// Removes batches in flight and dead letters of installations, then their events.
    ///
    /// In this order, a kill in between leaves no batch without its events.
    private static func removeEvents(
        of numbers: Set<UInt32>,
        from store: StateStore,
        _ journal: Journal,
        _ removed: inout RemovedEvents
    ) throws(SignetError) {
        for (key, value) in try store.values(withPrefix: StateKey.batches, onDamage: { _ in }) {
            guard let record = BatchRecord(value), numbers.contains(record.installation) else { continue }
            try store.remove(key)
            if record.sequences.count == 0 { removed.resends += record.events }
        }
        for (key, value) in try store.values(withPrefix: StateKey.deadLetterBatches, onDamage: { _ in }) {
            guard let record = DeadLetterRecord(value), numbers.contains(record.installation) else { continue }
            try store.remove(key)
            removed.deadLetters += record.events
        }
        do throws(StorageError) {
            var last: UInt64? = 0
            while let after = last {
                var sequences: [UInt64] = []
                last = try journal.visit(after: after, limit: Self.portion) { sequence, stamp, _ in
                    if let tag = EventMetadata(stamp), numbers.contains(tag.installation) { sequences.append(sequence) }
                }
                guard !sequences.isEmpty else { continue }
                try journal.acknowledge(sequences)
                removed.events += sequences.count
            }
        } catch {
            throw SignetError(error)
        }
    }

    /// Removes the number and the reset record, once the removal of all data survives a loss of power.
    func end(in store: StateStore) throws(SignetError) {
        try store.remove(StateKey.number(self.number))
        try store.remove(self.key)
    }
}

/// The resets that this process has not finished.
struct ResetsUnderWay: Sendable {
    private(set) var all: Set<InstallationReset> = []
    /// The same by installation: each open looks here.
    private var byID: [InstallationID: Set<InstallationReset>] = [:]
    /// The resets with only events and batches left.
    private(set) var withoutState: Set<InstallationReset> = []
    /// The resets of installations of which no event and no batch was left.
    private(set) var quiet: Set<InstallationReset> = []
    /// The records of those that only a scan finds, as read for many of them together.
    private var scattered: [InstallationReset: ScatteredRecords] = [:]

    /// Adds a reset.
    mutating func begin(_ reset: InstallationReset) {
        self.all.insert(reset)
        self.byID[reset.id, default: []].insert(reset)
    }

    /// Adds the reset of an installation of which no event and no batch is left.
    ///
    /// - Parameters:
    ///   - reset: The reset.
    ///   - records: Its records that only a scan finds, with those of others.
    mutating func beginQuiet(_ reset: InstallationReset, _ records: ScatteredRecords) {
        self.begin(reset)
        self.quiet.insert(reset)
        self.scattered[reset] = records
    }

    /// The resets of an installation whose state is not yet removed, the oldest first.
    func withState(of id: InstallationID) -> [InstallationReset] {
        (self.byID[id] ?? []).subtracting(self.withoutState).sorted { $0.number < $1.number }
    }

    /// The records of a reset that only a scan finds, if they are known.
    func records(of reset: InstallationReset) -> ScatteredRecords? {
        self.scattered[reset]
    }

    /// Notes that a reset has only events and batches left.
    mutating func removedState(of reset: InstallationReset) {
        self.withoutState.insert(reset)
        self.scattered[reset] = nil
    }

    /// Forgets a finished reset.
    mutating func finished(_ reset: InstallationReset) {
        self.all.remove(reset)
        self.byID[reset.id]?.remove(reset)
        if self.byID[reset.id]?.isEmpty == true { self.byID[reset.id] = nil }
        self.scattered[reset] = nil
        self.withoutState.remove(reset)
        self.quiet.remove(reset)
    }
}
