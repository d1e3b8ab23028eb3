// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.Date

/// All users of an installation, and the current one; a value that only the identity state machine changes.
struct UserDirectory: Sendable, Hashable {
    /// One user, as kept on disk.
    struct Entry: Sendable, Hashable {
        var identities: [IdentityType: StoredIdentity] = [:]
        /// The device identities last sent for the user; the device may have others by now.
        var deviceIdentities: [IdentityType: String] = [:]
        var attributes: [String: AttributeValue] = [:]
        /// The attributes that were set and that the platform has not accepted, with the numbers of their changes.
        var changed: [String: Int64] = [:]
        /// The removed attributes that the platform has not accepted, with the numbers of their removals.
        var removals: [String: Int64] = [:]
        /// The highest number of a change of attributes that the platform has accepted; zero for none.
        var accepted: Int64 = 0
        var consent: ConsentState?
        /// The number of the last change of the consent that the platform has not accepted; nil if it has it, as far as
        /// is known.
        var unsentConsent: Int64?
        /// The number of a change of the consent that only a batch with events brings: a default, or one that was
        /// refused without events.
        var consentForEvents: Int64?
        var isLoggedIn = false
        /// True if the user is not known now, but was once; see ``isKnown``.
        var wasKnown = false
        var isEphemeral = false
        var firstSeen: Int64
        var lastSeen: Int64
        /// The fields of the user that a newer version wrote.
        var unknown = UnknownFields()

        /// True if the user is logged in or has an identity of a person.
        var isKnown: Bool { self.isLoggedIn || self.identities.keys.contains(where: \.isOfPerson) }

        /// Changes the user, and remembers it if they are not known any more.
        mutating func change(_ body: (inout Entry) -> Void) {
            let wasKnown = self.wasKnown || self.isKnown
            body(&self)
            self.wasKnown = wasKnown && !self.isKnown
        }

        /// True if nothing is known of the user that a batch, a later call or the app could need.
        ///
        /// A push token that the platform has of the user may have to be taken from them, should they come back.
        var isBlank: Bool {
            !self.isLoggedIn && !self.wasKnown && self.identities.isEmpty && self.attributes.isEmpty
                && self.removals.isEmpty
                && self.consent == nil && self.unsentConsent == nil && self.unknown.isEmpty
                && self.deviceIdentities[.pushToken] == nil
        }
    }

    /// One identity, as kept on disk.
    struct StoredIdentity: Sendable, Hashable {
        var value: String
        var firstSet: Int64
    }

    /// Fields that few directories have, or have for a short time.
    private struct Extras: DefaultInitializable {
        var pastAttributions: [AnonymousAttribution] = []
        var vacantSince: Int64?
        var anonymousAttributes: [String: AttributeValue] = [:]
        var anonymousConsent: ConsentState?
        var unsentAnonymousConsent: Int64?
        var lastChange: Int64 = 0
    }

    /// Users by MPID.
    var entries: [MPID: Entry]
    /// The current user; nil before the first success.
    private(set) var current: MPID?
    /// The first user, ever or after the current one was erased, who gets the data and events from before.
    private(set) var firstUser: MPID?
    private var rare = Box<Extras>()
    /// The time of the first open, in milliseconds; the first user counts as seen since then.
    let createdAt: Int64

    /// Makes a restored directory, or an empty one.
    init(
        createdAt: Int64,
        entries: [MPID: Entry] = [:],
        current: MPID? = nil,
        firstUser: MPID? = nil,
        pastAttributions: [AnonymousAttribution] = [],
        vacantSince: Int64? = nil,
        anonymousAttributes: [String: AttributeValue] = [:],
        anonymousConsent: ConsentState? = nil,
        unsentAnonymousConsent: Int64? = nil,
        lastChange: Int64 = 0
    ) {
        self.createdAt = createdAt
        self.entries = entries
        self.current = current.flatMap { entries[$0] == nil ? nil : $0 }
        self.firstUser = firstUser
        self.rare.value = Extras(
            pastAttributions: pastAttributions,
            vacantSince: vacantSince,
            anonymousAttributes: anonymousAttributes,
            anonymousConsent: anonymousConsent,
            unsentAnonymousConsent: unsentAnonymousConsent,
            lastChange: lastChange
        )
    }

    /// The owners of events that were logged before the latest first user; see ``anonymousAttributions``.
    var pastAttributions: [AnonymousAttribution] {
        self.rare.value.pastAttributions
    }

    /// The time since which there is no current user after an erasure, in milliseconds; nil otherwise.
    private(set) var vacantSince: Int64? {
        get { self.rare.value.vacantSince }
        set { self.rare.value.vacantSince = newValue }
    }

    /// The attributes that were set before the first user.
    var anonymousAttributes: [String: AttributeValue] {
        get { self.rare.value.anonymousAttributes }
        set { self.rare.value.anonymousAttributes = newValue }
    }

    /// The consent that was given before the first user.
    var anonymousConsent: ConsentState? {
        get { self.rare.value.anonymousConsent }
        set { self.rare.value.anonymousConsent = newValue }
    }

    /// The number of the last change of the consent that the first user will have, if the app made it; nil for none.
    var unsentAnonymousConsent: Int64? {
        get { self.rare.value.unsentAnonymousConsent }
        set { self.rare.value.unsentAnonymousConsent = newValue }
    }

    /// The number of the last change of an attribute or a consent, of all users.
    var lastChange: Int64 {
        get { self.rare.value.lastChange }
        set { self.rare.value.lastChange = newValue }
    }

    /// Applies the platform's answer: makes the user current and stores the identities of the request.
    ///
    /// - Parameters:
    ///   - mpid: The user that the platform resolved.
    ///   - isLoggedIn: True if the user is known.
    ///   - isLogin: True if the call was a login.
    ///   - isEphemeral: True if local data may be deleted at the next switch.
    ///   - request: The request whose identities are stored; those set to nil are deleted.
    ///   - now: Milliseconds since 1970.
    /// - Returns: The previous MPID, and true if subscribers must be notified.
    mutating func resolve(
        to mpid: MPID,
        isLoggedIn: Bool,
        isLogin: Bool = false,
        isEphemeral: Bool,
        request: IdentityRequest,
        now: Int64
    ) -> (previous: MPID?, isChange: Bool) {
        let previous = self.current
        let wasLoggedIn = previous.flatMap { self.entries[$0] }?.isLoggedIn
        if let previous, previous != mpid {
            self.entries[previous]?.lastSeen = now
            // The user's events keep the MPID and are delivered; nothing else is kept (IDSync HTTP API, `is_ephemeral`).
            if self.entries[previous]?.isEphemeral == true { self.entries[previous] = nil }
        }
        let firstSeen = self.firstUser == nil ? min(self.vacantSince ?? self.createdAt, now) : now
        var entry = self.entries[mpid] ?? Entry(firstSeen: firstSeen, lastSeen: now)
        if self.firstUser == nil {
            self.firstUser = mpid
            self.vacantSince = nil
            self.inherit(self.anonymousAttributes, by: &entry)
            self.anonymousAttributes = [:]
            self.inheritConsent(by: &entry)
        }
        entry.change { $0.isLoggedIn = isLoggedIn }
        if isLogin { entry.wasKnown = !entry.isKnown }
        entry.isEphemeral = isEphemeral
        entry.lastSeen = now
        self.entries[mpid] = entry
        self.current = mpid
        self.store(request.identities, for: mpid, now: now)
        return (previous, previous != mpid || wasLoggedIn != isLoggedIn)
    }

    /// The number of users that stay though nothing is known of them.
    private static let blankLimit = 10

    /// Forgets users of whom nothing is known, those first who were not seen for the longest time.
    ///
    /// Each log-out may make one, and a till logs out all day. Their events keep the MPID, and their batches need no more. The first
    /// user stays, as calls of before any user are theirs.
    ///
    /// - Parameters:
    ///   - previous: The user who was just left: calls that wait may be theirs. Counts as the one who was seen last.
    ///   - now: Milliseconds since 1970. If the clock went back, who was seen later counts as seen now.
    /// - Returns: The users who are forgotten.
    mutating func forgetBlankUsers(after previous: MPID?, now: Int64) -> [MPID] {
        guard self.entries.count > Self.blankLimit else { return [] }
        let blank = self.entries.filter { $0.value.isBlank && $0.key != self.current && $0.key != self.firstUser }
        guard blank.count > Self.blankLimit else { return [] }
        let order = blank.map { (seen: $0.key == previous ? .max : min($0.value.lastSeen, now), mpid: $0.key) }
        let forgotten = order.sorted { $0 < $1 }.dropLast(Self.blankLimit).map(\.mpid)
        for mpid in forgotten { self.entries[mpid] = nil }
        return forgotten
    }

    /// Stores the identities of a request for a user; a changed value keeps the date it was first set.
    ///
    /// Device identities are not stored, because they belong to the device and would be outdated on the next one.
    mutating func store(_ identities: [IdentityType: String?], for mpid: MPID, now: Int64) {
        self.entries[mpid]?.change { entry in
            for (type, value) in identities where !type.isDevice {
                guard let value else {
                    entry.identities[type] = nil
                    continue
                }
                let firstSet = entry.identities[type]?.firstSet ?? now
                entry.identities[type] = StoredIdentity(value: value, firstSet: firstSet)
            }
        }
    }

    /// True if a user was never logged in and never had an identity of a person.
    ///
    /// The data of a guest may go to the customer that they become.
    func isGuest(_ mpid: MPID) -> Bool {
        self.entries[mpid].map { !$0.wasKnown && !$0.isKnown } ?? false
    }

    /// The plain values stored for a user.
    func identities(of mpid: MPID) -> [IdentityType: String] {
        self.entries[mpid]?.identities.mapValues(\.value) ?? [:]
    }
}

extension IdentityType {
    /// True for an identity of a person; `other` to `other10` may be ids of a browser.
    fileprivate var isOfPerson: Bool {
        !self.isDevice && !self.wireName.hasPrefix(Self.other.wireName)
    }
}

extension UserDirectory {
    /// A snapshot of the current user.
    func currentUser(now: Int64) -> User? {
        self.current.flatMap { self.user($0, now: now) }
    }

    /// A snapshot of a user; `lastSeen` is now for the current one, and the time of the switch for others.
    func user(_ mpid: MPID, now: Int64) -> User? {
        guard let entry = self.entries[mpid] else { return nil }
        return User(
            mpid: mpid,
            identities: entry.identities.mapValues {
                User.Identity(value: $0.value, firstSet: Date(milliseconds: $0.firstSet))
            },
            attributes: entry.attributes,
            consent: entry.consent,
            isLoggedIn: entry.isLoggedIn,
            isEphemeral: entry.isEphemeral,
            firstSeen: Date(milliseconds: entry.firstSeen),
            lastSeen: Date(milliseconds: mpid == self.current ? max(now, entry.lastSeen) : entry.lastSeen)
        )
    }

    /// All users: the current one first, then by `lastSeen`, latest first; ties by MPID, so that the order is stable.
    func allUsers(now: Int64) -> [User] {
        self.entries.keys
            .compactMap { self.user($0, now: now) }
            .sorted { lhs, rhs in
                if (lhs.mpid == self.current) != (rhs.mpid == self.current) { return lhs.mpid == self.current }
                return lhs.lastSeen != rhs.lastSeen ? lhs.lastSeen > rhs.lastSeen : lhs.mpid < rhs.mpid
            }
    }
}

// The identities that the platform has of users, including those of their devices; a modify computes its delta from them.
extension UserDirectory {
    /// Records device identities that were sent to the platform; those not sent stay with the user.
    mutating func tell(_ identities: [IdentityType: String], of mpid: MPID) {
        self.entries[mpid]?.deviceIdentities.merge(identities) { $1 }
    }

    /// Records the device identities in changes that the platform has accepted.
    mutating func tell(_ changes: [IdentityChange], of mpid: MPID) {
        for change in changes where change.type.isDevice {
            self.entries[mpid]?.deviceIdentities[change.type] = change.new
        }
    }

    /// The plain values that the platform has of a user, as far as this installation sent them.
    func identitiesTold(of mpid: MPID) -> [IdentityType: String] {
        self.identities(of: mpid).merging(self.entries[mpid]?.deviceIdentities ?? [:]) { $1 }
    }

    /// Removes a unique identity that the platform took from a user because it belongs to another one now.
    mutating func lose(_ type: IdentityType, of mpid: MPID, to value: String?) {
        guard let value, self.identitiesTold(of: mpid)[type] == value else { return }
        self.entries[mpid]?.change { entry in
            entry.identities[type] = nil
            entry.deviceIdentities[type] = nil
        }
    }
}
