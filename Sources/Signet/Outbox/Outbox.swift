//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

/// What other services are still to do about the changes of the user of an installation, oldest first.
///
/// Each service takes the records over in this order, and writes down with what it does about one that it has: so it does each
/// once, none is passed over, and an older one never comes after a newer one. A record stays until every service has said how it
/// ended.
struct Outbox: Sendable, Hashable {
    private(set) var records: [OutboxEntry] = []

    /// How many wait at most; there are more than two only while a service cannot take any over.
    private static let limit = 16

    /// The user has changed.
    ///
    /// - Returns: The one that had to make room: neither the oldest, to whom what was before belongs, nor a newer one.
    mutating func add(_ record: OutboxEntry) -> OutboxEntry? {
        self.records.append(record)
        return self.records.count > Self.limit ? self.records.remove(at: 1) : nil
    }

    /// What a service has not said the end of, oldest first.
    func open(for service: IdentitySyncOutcome.Service) -> [OutboxEntry] {
        self.records.filter { $0.services.contains(service) }
    }

    /// What a service has not taken over yet, in the order in which it is to.
    ///
    /// - Parameters:
    ///   - service: Which.
    ///   - taken: The last one that it has taken over, as it has written down itself.
    /// - Returns: The records.
    func due(for service: IdentitySyncOutcome.Service, after taken: UUID?) -> [OutboxEntry] {
        let open = self.open(for: service)
        // One that is not there any more has ended, and with it all before.
        guard let taken, let index = open.firstIndex(where: { $0.id == taken }) else { return open }
        return Array(open.dropFirst(index + 1))
    }

    /// A service has ended a record, and with it all that came before.
    ///
    /// - Returns: All that ended, oldest first; empty when that was said before.
    mutating func end(_ id: UUID, for service: IdentitySyncOutcome.Service) -> [OutboxEntry] {
        guard let last = self.records.firstIndex(where: { $0.id == id && $0.services.contains(service) }) else {
            return []
        }
        let ended = self.records[...last].filter { $0.services.contains(service) }
        for index in 0...last { self.records[index].services.remove(service) }
        self.records.removeAll { $0.services.isEmpty }
        return ended
    }

    /// A process begins: the newest record was written before its user, and without them it says nothing.
    mutating func begin(with current: MPID?) {
        if let last = self.records.last, last.mpid != current { self.records.removeLast() }
    }

    /// A user is erased.
    ///
    /// - Returns: Whether there was anything of them.
    mutating func forget(where isErased: (MPID) -> Bool) -> Bool {
        let indices = self.records.indices.filter { self.records[$0].mpid.map(isErased) ?? false }
        for index in indices { self.records[index].forgetUser() }
        return !indices.isEmpty
    }

    // MARK: - Disk

    private static let version: Int64 = 2

    /// The bytes on disk.
    func encoded() -> [UInt8] {
        let object: JSONObject = [
            "v": .number(JSONNumber(Self.version)), "records": .array(self.records.map(\.json)),
        ]
        return JSONValue.object(object).encoded()
    }

    /// Reads the bytes on disk; nil when they are something else.
    ///
    /// - Throws: `newerFormat` for what a later version wrote.
    init?(_ bytes: [UInt8]) throws(SignetError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(bytes)
        } catch {
            return nil
        }
        if let version = value["v"]?.number?.int64, version > Self.version {
            throw SignetError(.newerFormat, "The record of linked work is of version \(version), newer than this.")
        }
        guard value["v"]?.number?.int64 == Self.version, let stored = value["records"]?.array else { return nil }
        self.records = stored.compactMap { OutboxEntry($0) }
        guard self.records.count == stored.count else { return nil }
    }

    /// Nothing is to be done.
    init() {}
}
