// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport
import SignetWire

/// The latest consent of a user, whichever installation has it from them, and what of it the platform has.
///
/// A consent is a person's: without a record of the user, one browser would undo the refusal of another. Versions are
/// moments in milliseconds since 1970, each later than the one before. The consent of an installation has such a moment,
/// too: the later of the two counts in the batches of the installation.
struct UserConsent: Sendable, Hashable {
    /// A consent in a batch.
    struct Version: Sendable, Hashable {
        /// The version of the record at the cut, or the moment of the installation's consent; zero for a consent of
        /// which there was no record.
        var number: Int64
        /// The consent as a hash.
        var hash: UInt64
    }

    /// The time after which the platform may have forgotten a user of whom it has heard nothing.
    ///
    /// A profile ages out after 30, 60 or 90 days without data (mParticle, default service limits).
    private static let lifetime: Int64 = 20 * Self.day
    private static let day: Int64 = 86_400_000

    let mpid: MPID
    /// The consent; empty if it was removed.
    private(set) var state: ConsentState
    /// The version of the consent; zero if the user has never answered.
    private(set) var version: Int64
    /// The highest version that the platform has accepted; zero for none.
    ///
    /// Above the version, it is the moment of an installation's consent.
    private(set) var accepted: Int64 = 0
    /// The last time at which the platform accepted one, in milliseconds since 1970.
    private(set) var acceptedOn: Int64 = 0

    /// Makes the record of a user's first consent.
    init(_ consent: ConsentState?, of mpid: MPID, at now: Int64) {
        self.mpid = mpid
        self.state = consent ?? ConsentState()
        self.version = max(1, now)
    }

    /// Makes the record of a user who has not answered, for what the platform accepts of an installation's consent.
    init(unansweredBy mpid: MPID) {
        self.mpid = mpid
        self.state = ConsentState()
        self.version = 0
    }

    /// The record, if the user has answered.
    var answered: UserConsent? { self.version > 0 ? self : nil }

    /// The consent; nil if it was removed.
    var consent: ConsentState? { self.state.isEmpty ? nil : self.state }

    /// True if the platform has not accepted it.
    var isUnsent: Bool { self.version > self.accepted }

    /// The last time at which it was set, or at which the platform accepted it.
    var lastUse: Int64 { max(self.version, self.acceptedOn) }

    /// The highest moment of a consent that is known of the user.
    var lastVersion: Int64 { max(self.version, self.accepted) }

    /// True if a consent of an installation counts more, so that an equal answer is one.
    ///
    /// - Parameter moment: The moment of the consent of the installation on which the user answers; zero for none.
    /// - Returns: False if the answer of the user counts.
    func isOverruled(by moment: Int64) -> Bool {
        max(self.accepted, moment) > self.version
    }

    /// Takes a newer consent.
    mutating func set(_ consent: ConsentState?, at now: Int64) {
        self.state = consent ?? ConsentState()
        self.version = max(now, self.version + 1)
    }

    /// Makes the answer of the user count as given now, after an installation's consent that superseded it.
    ///
    /// - Parameters:
    ///   - moment: The moment of the installation's consent; nil if that supersedes each answer.
    ///   - now: The moment of now.
    /// - Returns: False if that consent has not superseded it, or another one has since.
    mutating func renew(after moment: Int64?, at now: Int64) -> Bool {
        guard self.version > 0 else { return false }
        if let moment, self.version >= moment || self.accepted > moment { return false }
        self.version = max(now, max(self.lastVersion, moment ?? 0) + 1)
        return true
    }

    /// True if the next batch of the user carries it.
    ///
    /// Also after a long time, if every answer in it is a refusal: a profile that the platform has forgotten allows
    /// what was refused. A consent is not said again, because the user may have refused elsewhere meanwhile.
    func isDue(at now: Int64) -> Bool {
        if self.isUnsent { return true }
        return self.state.isRefusal && self.accepted == self.version && now - self.acceptedOn >= Self.lifetime
    }

    /// The same for the consent of an installation that counts more than the answer of the user.
    func isDue(_ consent: ConsentState, of moment: Int64, at now: Int64) -> Bool {
        if moment > self.accepted { return true }
        return consent.isRefusal && moment == self.accepted && now - self.acceptedOn >= Self.lifetime
    }

    /// Notes that the platform has accepted a consent of the user.
    ///
    /// An older answer that comes late makes the latest one count as said again: nothing says in which order the
    /// platform took them. After a later consent of an installation, which this record does not have, that installation
    /// says it again with the next batch of the user.
    ///
    /// - Returns: Nil if that changes nothing; `late` if a batch must say the latest one again.
    mutating func accept(_ carried: Version, at now: Int64) -> FactsAcceptance? {
        let before = self
        if carried.number < self.accepted, self.accepted > self.version {
            self.accepted = max(carried.number, carried.hash == self.state.hash ? self.version : 0)
            self.acceptedOn = now
            return self.isUnsent ? .late : .inOrder
        }
        self.accepted = max(self.accepted, carried.number)
        // An answer that says nothing new is not worth a write.
        if self.accepted != before.accepted || now - self.acceptedOn >= Self.day { self.acceptedOn = now }
        guard carried.number < self.version else { return self == before ? nil : .inOrder }
        guard carried.hash != self.state.hash else {
            // The latest one, which has counted as said again since: an older one may have come in between.
            return self.version > before.accepted ? .late : .inOrder
        }
        // No later: the consent of an installation since then counts more.
        self.version += 1
        // Otherwise the latest one is still to be said anyway.
        return before.isUnsent ? .inOrder : .late
    }
}

extension ConsentState {
    /// The state as the platform gets it, as a hash that is the same in each process.
    var hash: UInt64 {
        var writer = JSONWriter(reservingCapacity: 256)
        self.write(to: &writer)
        return SHA256.hash(writer.bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// True if every answer is a refusal; a sale is refused by an opt-out that is given.
    fileprivate var isRefusal: Bool {
        !self.isEmpty && self.gdpr.values.allSatisfy { !$0.isGiven } && self.ccpaDataSaleOptOut?.isGiven != false
    }

    /// The moment of the newest answer, in milliseconds since 1970; nil for none.
    var newest: Int64? {
        (self.gdpr.values.map(\.timestamp) + [self.ccpaDataSaleOptOut?.timestamp]).compactMap { $0?.milliseconds }.max()
    }
}

extension UserConsent: StoredRecord {
    static var subject: String { "the consent of a user" }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("mpid", self.mpid)
        encoder.write("consent", self.state)
        encoder.write("at", self.version)
        encoder.write("accepted", self.accepted == 0 ? nil : self.accepted)
        encoder.write("acceptedOn", self.acceptedOn == 0 ? nil : self.acceptedOn)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.mpid = try decoder.read("mpid")
        self.state = try decoder.read("consent")
        self.version = try decoder.read("at")
        self.accepted = try decoder.optional("accepted") ?? 0
        self.acceptedOn = try decoder.optional("acceptedOn") ?? 0
    }
}
