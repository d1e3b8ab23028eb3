// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// Events of the runtime that must still be logged after a commit, in the row's outbox.
///
/// The replica that committed logs them at once and then removes them; another one takes over if it dies in between.
struct SharedOutbox: Sendable, Hashable {
    /// The end of a session.
    struct End: Sendable, Hashable {
        var totals: SessionTotals
        /// The user of the event.
        var mpid: MPID?
        /// The moment of the commit, or of the last takeover, by the database's clock, in milliseconds since 1970.
        fileprivate(set) var milliseconds: Int64
        /// The fields that a newer version wrote.
        var unknown = UnknownFields()
    }

    /// An opt-out, or the end of one.
    struct OptOut: Sendable, Hashable {
        /// The id of its event, whichever replica logs it.
        let id: UUID
        /// True for an opt-out, false for the end of one.
        let isOptedOut: Bool
        /// The user of the event.
        var mpid: MPID?
        /// The moment of the choice by the database's clock, in milliseconds since 1970.
        let milliseconds: Int64
        /// The moment of the commit, or of the last takeover, in milliseconds since 1970.
        fileprivate var since: Int64
        /// The fields that a newer version wrote.
        fileprivate var unknown = UnknownFields()

        /// Makes an entry.
        init(id: UUID, isOptedOut: Bool, mpid: MPID?, at milliseconds: Int64) {
            (self.id, self.isOptedOut, self.mpid) = (id, isOptedOut, mpid)
            (self.milliseconds, self.since) = (milliseconds, milliseconds)
        }

        /// The session that an opt-out puts before the next one; nil for an opt-in.
        ///
        /// The id of a session follows from the one before. So one that a replica began before the opt-out, and has not
        /// told yet, fits no more: it does not begin after the opt-in.
        var previous: PreviousSession? {
            self.isOptedOut ? PreviousSession(uuid: self.id, start: self.milliseconds, length: 0) : nil
        }
    }

    /// The time after which another replica takes an entry over, in milliseconds.
    static let patience: Int64 = 60_000
    /// The number of entries of each kind that a row keeps; older ones were logged long ago, or are lost with their replica.
    private static let limit = 16

    private(set) var ends: [End] = []
    private(set) var optOuts: [OptOut] = []
    private var unknown = UnknownFields()

    /// Makes an empty outbox.
    init() {}

    /// True if there is nothing to write.
    var isEmpty: Bool {
        self.ends.isEmpty && self.optOuts.isEmpty && self.unknown.isEmpty
    }

    /// All users whom it names.
    var mentioned: Set<MPID> {
        let mentioned = self.ends.reduce(into: Set(self.optOuts.compactMap(\.mpid))) { mentioned, end in
            mentioned.formUnion(end.totals.mpids)
            if let mpid = end.mpid { mentioned.insert(mpid) }
        }
        return mentioned
    }

    /// Adds the end of a session.
    mutating func add(_ end: End) {
        self.ends = (self.ends + [end]).suffix(Self.limit)
    }

    /// Adds an opt-out, or the end of one.
    mutating func add(_ optOut: OptOut) {
        self.optOuts = (self.optOuts + [optOut]).suffix(Self.limit)
    }

    /// Forgets a user in all entries.
    mutating func forget(_ mpid: MPID) {
        for index in self.ends.indices {
            self.ends[index].totals.mpids.removeAll { $0 == mpid }
            if self.ends[index].mpid == mpid { self.ends[index].mpid = nil }
            self.ends[index].unknown.forget(mpid)
        }
        for index in self.optOuts.indices {
            if self.optOuts[index].mpid == mpid { self.optOuts[index].mpid = nil }
            self.optOuts[index].unknown.forget(mpid)
        }
        self.unknown.forget(mpid)
    }

    // MARK: - Entries by their ids: that of the session, or that of the event

    /// Removes entries.
    mutating func remove(_ entries: Set<UUID>) {
        guard !entries.isEmpty else { return }
        self.ends.removeAll { entries.contains($0.totals.session.uuid) }
        self.optOuts.removeAll { entries.contains($0.id) }
    }

    /// Starts the patience of the other replicas anew for entries that one of them takes over.
    mutating func takeOver(_ entries: Set<UUID>, at now: Int64) {
        for index in self.ends.indices where entries.contains(self.ends[index].totals.session.uuid) {
            self.ends[index].milliseconds = now
        }
        for index in self.optOuts.indices where entries.contains(self.optOuts[index].id) {
            self.optOuts[index].since = now
        }
    }

    /// The entries to take over.
    ///
    /// - Parameter now: The database's time, in milliseconds since 1970.
    /// - Returns: Their ids.
    func due(at now: Int64) -> Set<UUID> {
        let ends = self.ends.filter { $0.milliseconds.addingSaturated(Self.patience) <= now }.map(\.totals.session.uuid)
        return Set(ends + self.optOuts.filter { $0.since.addingSaturated(Self.patience) <= now }.map(\.id))
    }

    /// The moment at which the oldest entry is taken over, in milliseconds since 1970; nil if there is none.
    var takeover: Int64? {
        (self.ends.map(\.milliseconds) + self.optOuts.map(\.since)).min().map { $0.addingSaturated(Self.patience) }
    }
}

extension SharedOutbox: StoredRecord {
    static var version: UInt8 { RowFormats.current.newest }
    static var subject: String { "the outbox of an installation in the shared store" }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("ends", self.ends)
        encoder.write("optOuts", self.optOuts.isEmpty ? nil : self.optOuts)
        encoder.write(self.unknown)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.ends = try decoder.read("ends")
        self.optOuts = try decoder.optional("optOuts") ?? []
        self.unknown = try decoder.unread()
    }
}

extension SharedOutbox.End: RecordFields {
    /// Makes an entry of a session that ends now.
    init(totals: SessionTotals, mpid: MPID?, at milliseconds: Int64) {
        (self.totals, self.mpid, self.milliseconds) = (totals, mpid, milliseconds)
    }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("totals", self.totals)
        encoder.write("mpid", self.mpid)
        encoder.write("at", self.milliseconds)
        encoder.write(self.unknown)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            totals: decoder.read("totals"),
            mpid: decoder.optional("mpid"),
            at: decoder.read("at")
        )
        self.unknown = try decoder.unread()
    }
}

extension SharedOutbox.OptOut: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("id", self.id)
        encoder.write("out", flag: self.isOptedOut)
        encoder.write("mpid", self.mpid)
        encoder.write("at", self.milliseconds)
        encoder.write("since", self.since)
        encoder.write(self.unknown)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.id = try decoder.read("id")
        self.isOptedOut = try decoder.flag("out")
        self.mpid = try decoder.optional("mpid")
        self.milliseconds = try decoder.read("at")
        self.since = try decoder.read("since")
        self.unknown = try decoder.unread()
    }
}
