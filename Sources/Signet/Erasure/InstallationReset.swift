//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import SignetModel

/// A reset of an installation, on disk before anything goes.
///
/// The call, an open, `run()` or the next start finishes it.
/// Every step may be done again, so that a kill between two of them costs nothing. What is named by the number belongs to the
/// installation alone, for a number is never given twice. What is named by the id belongs to it only while the record of
/// identity has the number: after that, the id may be of a new installation.
struct InstallationReset: Sendable, Hashable {
    /// What was found and removed.
    struct Findings: Sendable {
        /// Events of the journal.
        var events = 0
        /// Events of batches that were set aside and were to be sent again.
        var resends = 0
        /// Events of batches that were set aside.
        var deadLetters = 0
        /// Custom events for Infobip.
        var infobipEvents = 0
    }

    /// The number of the installation.
    let number: UInt32
    /// Its id.
    let id: InstallationID

    private static let portion = 4096

    /// Where it is written down.
    var key: [UInt8] {
        StateKey.reset(self.number, self.id)
    }

    /// What is written down there.
    var value: [UInt8] {
        Array(self.id.rawValue.utf8)
    }

    /// Those that were not finished.
    static func stored(in store: StateStore) throws(SignetError) -> [InstallationReset] {
        try store.keys(withPrefix: StateKey.resets).compactMap { key in
            var reader = ByteReader(Array(key.dropFirst(StateKey.resets.count).prefix(4).reversed()))
            guard let number = reader.read(UInt32.self) else { return nil }
            let id = InstallationID(
                String(decoding: key.dropFirst(StateKey.resets.count + 4), as: UTF8.self)
            )
            return InstallationReset(number: number, id: id)
        }
    }

    /// Finishes those that were cut short: at the start, before anything is sent or logged.
    static func finishAll(
        in store: StateStore,
        _ journal: Journal,
        found: (Findings) -> Void
    ) throws(SignetError) {
        let resets = try Self.stored(in: store)
        guard !resets.isEmpty else { return }
        for reset in resets {
            var findings = Findings()
            findings.infobipEvents = try reset.removeState(from: store)
            try reset.removeEvents(from: store, journal, &findings)
            found(findings)
        }
        do throws(StorageError) { try journal.sync() } catch { throw SignetError(error) }
        try store.sync()
        for reset in resets { try reset.end(in: store) }
    }

    /// Removes what the installation remembers, the record of identity last: by it is known that the rest is not of another.
    ///
    /// - Returns: How many custom events for Infobip went.
    @discardableResult
    func removeState(from store: StateStore) throws(SignetError) -> Int {
        try IterableStore(store, installation: self.number).removeAll()
        let events = try InfobipStore(store, installation: self.number, persistsUser: true).removeAll()
        try store.remove(StateKey.dueOptOut(self.number))
        try store.remove(StateKey.departedConsents(self.number))
        for prefix in [StateKey.optOuts(of: self.number), StateKey.breadcrumbs(ofAllOn: self.number)] {
            for key in try store.keys(withPrefix: prefix) { try store.remove(key) }
        }
        guard try self.hasID(in: store) else { return events }
        try store.remove(StateKey.session(self.id))
        try store.remove(StateKey.launch(self.id))
        try store.remove(StateKey.chosenContext(self.id))
        try store.remove(StateKey.linked(self.id))
        for (key, value) in try store.values(withPrefix: StateKey.aliases, onDamage: { _ in }) {
            if AliasRecord(value)?.installation == self.id { try store.remove(key) }
        }
        try store.remove(StateKey.identity(self.id))
        return events
    }

    /// Whether the id is still that of this installation, and of no newer one.
    private func hasID(in store: StateStore) throws(SignetError) -> Bool {
        do throws(SignetError) {
            guard let value = try store.value(for: StateKey.identity(self.id)) else { return false }
            return try IdentityState(decoding: value).number == self.number
        } catch {
            // Nobody can open an installation with it: it is no newer one's.
            guard error.isDamage else { throw error }
            return true
        }
    }

    /// Removes its batches, those on their way and those that were set aside, then its events.
    ///
    /// In the order in which a kill between leaves no batch without its events.
    func removeEvents(
        from store: StateStore,
        _ journal: Journal,
        _ findings: inout Findings
    ) throws(SignetError) {
        for (key, value) in try store.values(withPrefix: StateKey.batches, onDamage: { _ in }) {
            guard let record = BatchRecord(value), record.installation == self.number else { continue }
            try store.remove(key)
            if record.sequences.count == 0 { findings.resends += record.events }
        }
        for (key, value) in try store.values(withPrefix: StateKey.deadLetterBatches, onDamage: { _ in }) {
            guard let record = DeadLetterRecord(value), record.installation == self.number else { continue }
            try store.remove(key)
            findings.deadLetters += record.events
        }
        do throws(StorageError) {
            var last: UInt64? = 0
            while let after = last {
                var sequences: [UInt64] = []
                last = try journal.visit(after: after, limit: Self.portion) { sequence, stamp, _ in
                    if EventMetadata(stamp)?.installation == self.number { sequences.append(sequence) }
                }
                guard !sequences.isEmpty else { continue }
                try journal.acknowledge(sequences)
                findings.events += sequences.count
            }
        } catch {
            throw SignetError(error)
        }
    }

    /// Nothing is left of it, also after a loss of power.
    func end(in store: StateStore) throws(SignetError) {
        try store.remove(StateKey.number(self.number))
        try store.remove(self.key)
    }
}

/// Resets that are not finished in this process.
struct ResetsUnderWay: Sendable {
    /// All of them.
    var all: Set<InstallationReset> = []
    /// Those of which only events and batches are left.
    var withoutState: Set<InstallationReset> = []

    /// Nothing of one is left.
    mutating func finished(_ reset: InstallationReset) {
        self.all.remove(reset)
        self.withoutState.remove(reset)
    }
}
