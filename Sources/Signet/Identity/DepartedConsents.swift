// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

/// The consents of ephemeral users who left an installation at a switch, until their events are in batches.
///
/// Nothing else of these users is kept (IDSync HTTP API, `is_ephemeral`), but their events must not be sent as if they had
/// given any consent.
struct DepartedConsents: Sendable, Hashable {
    /// The consent of one such user.
    struct Entry: Sendable, Hashable {
        let mpid: MPID
        /// The last event of the journal when the user left.
        let lastEvent: UInt64
        let consent: ConsentState
    }

    /// The maximum number of entries; the oldest are removed.
    static let limit = 100
    private static let version: Int64 = 1

    /// Oldest first.
    private(set) var entries: [Entry] = []

    /// Makes an empty list.
    init() {}

    /// The consent of a user who left; nil if they gave none, or their events are in batches.
    func consent(of mpid: MPID) -> ConsentState? {
        self.entries.last { $0.mpid == mpid }?.consent
    }

    /// Adds a user who leaves.
    mutating func add(_ mpid: MPID, _ consent: ConsentState, lastEvent: UInt64) {
        self.entries.removeAll { $0.mpid == mpid }
        self.entries.append(Entry(mpid: mpid, lastEvent: lastEvent, consent: consent))
        if self.entries.count > Self.limit { self.entries.removeFirst() }
    }

    /// Removes the matching entries.
    ///
    /// - Returns: True if there were any.
    mutating func remove(where isMeant: (Entry) -> Bool) -> Bool {
        let count = self.entries.count
        self.entries.removeAll(where: isMeant)
        return self.entries.count < count
    }

    // MARK: - Bytes

    /// The bytes on disk.
    func encoded() -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 256)
        writer.beginObject()
        writer.member("version", Self.version)
        writer.key("users")
        writer.beginArray()
        for entry in self.entries {
            writer.beginObject()
            writer.member("mpid", entry.mpid.description)
            writer.member("lastEvent", Int64(clamping: entry.lastEvent))
            writer.key("consent")
            entry.consent.writeRecord(to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Reads the bytes on disk; nil if they are not a list of consents.
    init?(_ bytes: [UInt8]) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(bytes, limits: JSONLimits(bytes: 16 << 20, depth: 8, values: 1_000_000))
        } catch {
            return nil
        }
        guard value["version"]?.number?.int64 == Self.version, let users = value["users"]?.array else { return nil }
        for user in users {
            guard let mpid = user["mpid"]?.string.flatMap({ MPID($0) }),
                let last = user["lastEvent"]?.number?.int64, last >= 0,
                let consent = user["consent"].flatMap({ ConsentState(record: $0) })
            else { return nil }
            self.entries.append(Entry(mpid: mpid, lastEvent: UInt64(last), consent: consent))
        }
    }
}
