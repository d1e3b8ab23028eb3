// SPDX-License-Identifier: Apache-2.0

import SignetModel

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
}

extension DepartedConsents: StoredRecord {
    static var subject: String { "the consents of departed users" }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("users", self.entries)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.entries = try decoder.read("users")
    }
}

extension DepartedConsents.Entry: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("mpid", self.mpid)
        encoder.write("lastEvent", self.lastEvent)
        encoder.write("consent", self.consent)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            mpid: decoder.read("mpid"),
            lastEvent: decoder.read("lastEvent"),
            consent: decoder.read("consent")
        )
    }
}
