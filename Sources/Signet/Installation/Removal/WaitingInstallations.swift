// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

/// The installations whose data waits, as of one look at the disk.
///
/// An installation that waits for something later was used later, which its records show.
struct WaitingInstallations {
    private var numbers: Set<UInt32> = []
    private var ids: Set<InstallationID> = []
    private static let portion = 4096

    /// Looks at the events, the batches, the dead letters, the alias requests, the opt-outs and the services.
    init(_ context: RuntimeContext, _ services: LinkedServices) throws(SignetError) {
        // Events that the disk had refused have no place in the journal yet.
        try context.emptyMemory()
        let store = context.store
        try self.readEvents(context.journal)
        for (_, value) in try store.values(withPrefix: StateKey.batches, onDamage: { _ in }) {
            if let record = BatchRecord(value) { self.numbers.insert(record.installation) }
        }
        for (_, value) in try store.values(withPrefix: StateKey.deadLetterBatches, onDamage: { _ in }) {
            if let record = DeadLetterRecord(value) { self.numbers.insert(record.installation) }
        }
        for (_, value) in try store.values(withPrefix: StateKey.aliases, onDamage: { _ in }) {
            if let record = AliasRecord(value) { self.ids.insert(record.installation) }
        }
        for prefix in [StateKey.optOuts, StateKey.dueOptOuts] {
            for key in try store.keys(withPrefix: prefix) { self.note(key) }
        }
        // A numbered record of a service is data that was not sent.
        for key in try store.keys(withPrefix: StateKey.services) where key.count > 6 { self.note(key) }
        for service in services.all { self.ids.formUnion(service.linkedManagers.map(\.installation)) }
    }

    /// True if data of an installation waits.
    func contains(_ number: UInt32, _ id: InstallationID) -> Bool {
        self.numbers.contains(number) || self.ids.contains(id)
    }

    private mutating func note(_ key: [UInt8]) {
        if let number: UInt32 = StateKey.number(key.dropFirst().prefix(4)) { self.numbers.insert(number) }
    }

    private mutating func readEvents(_ journal: Journal) throws(SignetError) {
        var found: Set<UInt32> = []
        do throws(StorageError) {
            var last: UInt64? = 0
            while let after = last {
                last = try journal.visit(after: after, limit: Self.portion) { _, stamp, _ in
                    if let tag = EventMetadata(stamp) { found.insert(tag.installation) }
                }
            }
        } catch {
            throw SignetError(error)
        }
        self.numbers.formUnion(found)
    }
}
