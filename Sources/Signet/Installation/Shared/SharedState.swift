// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// The bytes of a row's state: what all replicas know of an installation, besides its open session.
///
/// It has no sequence of a journal, no number of a directory and no uptime: those are of one process.
struct SharedState: Sendable, Hashable {
    /// The users, consent, devices and opt-out.
    var identity: IdentityState
    /// The rest.
    var part: SharedPart
}

/// The facts of an installation that only a shared row has.
struct SharedPart: DefaultInitializable {
    /// A change of the current user.
    struct Change: Sendable, Hashable {
        /// The moment by the database's clock, in milliseconds since 1970.
        let milliseconds: Int64
        /// The user from then on; nil for none.
        var mpid: MPID?
        /// True if that user was erased: events of that time are theirs, and go with them.
        var isErased = false
        /// The fields that a newer version wrote.
        var unknown = UnknownFields()
    }

    /// The consent of an ephemeral user who has left.
    struct Departed: Sendable, Hashable {
        let mpid: MPID
        let consent: ConsentState
        /// The fields that a newer version wrote.
        var unknown = UnknownFields()
    }

    /// The number of changes, and of departed users, that are remembered.
    static let limit = 16

    /// The users of the open session, in order.
    var sessionUsers: [MPID] = []
    /// The attributes of the open session.
    var sessionAttributes: [String: AttributeValue] = [:]
    /// The session before the open one, or the last one.
    var previous: PreviousSession?
    /// The last changes of the user, oldest first.
    var changes: [Change] = []
    /// The moment of the last opt-in, in milliseconds since 1970: what was logged before it stays dropped.
    var eventsFrom: Int64?
    /// The users who left the row last, as ephemeral ones do, with their consent.
    var departed: [Departed] = []
    /// The day of the last open that was noted, in days since 1970 by the database's clock; nil for none.
    var usedOn: Int64?
    /// The fields of the row that a newer version wrote.
    var unknown = UnknownFields()

    /// The days after which an open is noted again: a commit for each one would cost more than it says.
    private static let useDays: Int64 = 7

    /// Notes that the installation is used, once a week.
    ///
    /// - Parameter milliseconds: The moment by the database's clock, since 1970.
    mutating func noteUse(at milliseconds: Int64) {
        let day = milliseconds / 86_400_000
        // A day to come is of a clock that was wrong.
        if let last = self.usedOn, last <= day, day.subtractingSaturated(last) < Self.useDays { return }
        self.usedOn = day
    }

    /// True for a session of before an opt-in: the begin of the next one does not tell of it.
    func isWithheld(_ previous: PreviousSession) -> Bool {
        self.eventsFrom.map { previous.start <= $0 } ?? false
    }

    /// The users whom it names.
    var mentioned: Set<MPID> {
        Set(self.sessionUsers + self.changes.compactMap(\.mpid) + self.departed.map(\.mpid))
    }

    /// Notes the user from now on.
    mutating func note(_ mpid: MPID?, at milliseconds: Int64) {
        self.changes = (self.changes + [Change(milliseconds: milliseconds, mpid: mpid)]).suffix(Self.limit)
    }

    /// Forgets a user.
    mutating func forget(_ mpid: MPID) {
        self.sessionUsers.removeAll { $0 == mpid }
        self.departed.removeAll { $0.mpid == mpid }
        for index in self.changes.indices where self.changes[index].mpid == mpid {
            (self.changes[index].mpid, self.changes[index].isErased) = (nil, true)
        }
        self.unknown.forget(mpid)
        for index in self.changes.indices { self.changes[index].unknown.forget(mpid) }
        for index in self.departed.indices { self.departed[index].unknown.forget(mpid) }
    }

    /// Keeps the consent of a user who leaves.
    mutating func keep(_ consent: ConsentState, of mpid: MPID) {
        self.departed.removeAll { $0.mpid == mpid }
        self.departed = (self.departed + [Departed(mpid: mpid, consent: consent)]).suffix(Self.limit)
    }
}

extension SharedState {
    /// All users whom it names, those who have left among them: an erasure finds the row by them.
    var mentioned: Set<MPID> {
        self.identity.directory.mentioned.union(self.part.mentioned)
    }

    /// The owner of an event that was logged while no row was read, or while the row had no user.
    ///
    /// - Parameter milliseconds: The moment of the event by the database's clock, since 1970.
    /// - Returns: The owner.
    func owner(at milliseconds: Int64) -> AnonymousOwner {
        let changes = self.part.changes
        guard let last = changes.lastIndex(where: { $0.milliseconds <= milliseconds }) else {
            // Earlier than all that is remembered: before the first user of all, or between users that are forgotten.
            guard changes.count >= SharedPart.limit else { return self.owner(in: changes[...]) }
            guard let first = self.identity.directory.firstUser else { return .forgotten }
            let seen = self.identity.directory.entries[first]?.firstSeen
            return seen.map { milliseconds < $0 } ?? false ? .user(first) : .forgotten
        }
        return self.owner(in: changes[last...])
    }

    /// The owner of an event before the second of some changes: without a current user, the user of the next change.
    private func owner(in changes: ArraySlice<SharedPart.Change>) -> AnonymousOwner {
        guard let change = changes.first(where: { $0.mpid != nil || $0.isErased }) else {
            return self.identity.directory.firstUser.map { .user($0) } ?? .noUser
        }
        return change.mpid.map { .user($0) } ?? .forgotten
    }
}

extension SharedState: StoredRecord {
    static var version: UInt8 { RowFormats.current.newest }
    static var subject: String { "an installation in the shared store" }
    var expectedSize: Int { self.identity.expectedSize + 128 }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("identity", self.identity)
        encoder.write("users", self.part.sessionUsers.isEmpty ? nil : self.part.sessionUsers)
        encoder.write("attributes", self.part.sessionAttributes.isEmpty ? nil : self.part.sessionAttributes)
        encoder.write("previous", self.part.previous)
        encoder.write("changes", self.part.changes.isEmpty ? nil : self.part.changes)
        encoder.write("eventsFrom", self.part.eventsFrom)
        encoder.write("departed", self.part.departed.isEmpty ? nil : self.part.departed)
        encoder.write("usedOn", self.part.usedOn)
        encoder.write(self.part.unknown)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.identity = try decoder.read("identity")
        self.part = SharedPart()
        self.part.sessionUsers = try decoder.optional("users") ?? []
        self.part.sessionAttributes = try decoder.optional("attributes") ?? [:]
        self.part.previous = try decoder.optional("previous")
        self.part.changes = try decoder.optional("changes") ?? []
        self.part.eventsFrom = try decoder.optional("eventsFrom")
        self.part.departed = try decoder.optional("departed") ?? []
        self.part.usedOn = try decoder.optional("usedOn")
        self.part.unknown = try decoder.unread()
    }
}

extension SharedPart.Change: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("at", self.milliseconds)
        encoder.write("mpid", self.mpid)
        encoder.write("erased", flag: self.isErased)
        encoder.write(self.unknown)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            milliseconds: decoder.read("at"),
            mpid: decoder.optional("mpid"),
            isErased: decoder.flag("erased")
        )
        self.unknown = try decoder.unread()
    }
}

extension SharedPart.Departed: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("mpid", self.mpid)
        encoder.write("consent", self.consent)
        encoder.write(self.unknown)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(mpid: decoder.read("mpid"), consent: decoder.read("consent"))
        self.unknown = try decoder.unread()
    }
}
