// SPDX-License-Identifier: Apache-2.0

import SignetModel

package import struct FoundationEssentials.UUID

/// Pending work of other services after changes of the user of an installation, oldest first.
///
/// Each service takes the entries over in this order and stores the id of an entry with its own work for it. So it does
/// each entry once, skips none, and never does an older one after a newer one. An entry stays until every service has
/// reported how it ended.
package struct Outbox: Sendable, Hashable {
    package private(set) var records: [OutboxEntry] = []

    /// The most entries that wait; there are more than two only while a service cannot take any over.
    private static let limit = 16

    /// Adds the entry of a user change.
    ///
    /// - Returns: The entry that had to make room: neither the oldest, which owns the data recorded before, nor the
    ///   newest.
    mutating func add(_ record: OutboxEntry) -> OutboxEntry? {
        self.records.append(record)
        return self.records.count > Self.limit ? self.records.remove(at: 1) : nil
    }

    /// Returns the entries that a service has not ended, oldest first.
    package func open(for service: IdentitySyncOutcome.Service) -> [OutboxEntry] {
        self.records.filter { $0.services.contains(service) }
    }

    /// Returns the entries that a service has not taken over yet, in the order in which it takes them.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - taken: The last entry that the service recorded as taken over.
    /// - Returns: The entries.
    package func due(for service: IdentitySyncOutcome.Service, after taken: UUID?) -> [OutboxEntry] {
        let open = self.open(for: service)
        // An entry that is no longer there has ended, and so have all before it.
        guard let taken, let index = open.firstIndex(where: { $0.id == taken }) else { return open }
        return Array(open.dropFirst(index + 1))
    }

    /// Ends an entry for a service, and all entries before it.
    ///
    /// - Returns: The entries that ended, oldest first; empty if they had ended before.
    mutating func end(_ id: UUID, for service: IdentitySyncOutcome.Service) -> [OutboxEntry] {
        guard let last = self.records.firstIndex(where: { $0.id == id && $0.services.contains(service) }) else {
            return []
        }
        let ended = self.records[...last].filter { $0.services.contains(service) }
        for index in 0...last { self.records[index].services.remove(service) }
        self.records.removeAll { $0.services.isEmpty }
        return ended
    }

    /// Removes the newest entry at the start of a process if the user it was written for never became current.
    mutating func begin(with current: MPID?) {
        if let last = self.records.last, last.mpid != current { self.records.removeLast() }
    }

    /// Removes an erased user from the entries.
    ///
    /// - Returns: True if an entry was of that user.
    mutating func forget(where isErased: (MPID) -> Bool) -> Bool {
        let indices = self.records.indices.filter { self.records[$0].mpid.map(isErased) ?? false }
        for index in indices { self.records[index].forgetUser() }
        return !indices.isEmpty
    }

    /// Makes an empty outbox.
    package init() {}
}

extension Outbox: StoredRecord {
    package static var subject: String { "the identity syncs of an installation" }

    package func encode(into encoder: inout RecordEncoder) {
        encoder.write("entries", self.records)
    }

    package init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.records = try decoder.read("entries")
    }

    /// Reads the bytes on disk; nil if they are not an outbox.
    ///
    /// - Throws: `newerFormat` for bytes that a later version wrote.
    init?(_ bytes: [UInt8]) throws(SignetError) {
        do throws(SignetError) {
            try self.init(decoding: bytes)
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }
}
