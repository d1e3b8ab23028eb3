// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// Reads and updates the users of installations for delivery.
protocol EventUsers: Sendable {
    /// Returns the properties of a user for a batch.
    func batchUser(_ installation: InstallationID, _ mpid: MPID) throws(SignetError) -> BatchUser

    /// Returns the users of anonymous events on an installation, in the order of the events, the first user last.
    func anonymousAttributions(_ installation: InstallationID) throws(SignetError) -> [AnonymousAttribution]

    /// Notes that the platform has accepted facts of a user that a batch of the installation has carried.
    ///
    /// - Returns: The meaning; with a shared store, a reading of the row says later if they were late.
    /// - Throws: `SignetError` from the disk; then another batch carries them.
    func accepted(
        _ installation: InstallationID,
        _ mpid: MPID,
        _ facts: NumberedFacts
    ) throws(SignetError) -> FactsAcceptance

    /// Notes that a batch without events could not bring the consent of a user, as of its last change up to a number.
    ///
    /// The next batch with events tries it.
    ///
    /// - Throws: `SignetError` from the disk; then another batch without events tries it.
    func consentNotBrought(_ installation: InstallationID, _ mpid: MPID, upTo number: Int64) throws(SignetError)

    /// Returns the consents that the platform gets without events, by user, with the numbers of their last changes;
    /// none while opted out.
    ///
    /// With a shared store, by the last reading.
    func unsentConsents(_ installation: InstallationID) throws(SignetError) -> [MPID: Int64]

    /// Forgets the consent of departed users after a batch with it was written.
    ///
    /// - Parameters:
    ///   - installation: The installation.
    ///   - number: Its number in the metadata of its events.
    ///   - isDone: Returns true if all events of the entry's user are in batches.
    /// - Throws: `SignetError` from the disk; then the consent stays for a while longer.
    func departedCarried(
        _ installation: InstallationID,
        _ number: UInt32,
        _ isDone: (DepartedConsents.Entry) -> Bool
    ) throws(SignetError)

    /// Returns the number of the journal's event after which an installation opted out; nil if it never did.
    func optedOutAfter(_ installation: InstallationID) throws(SignetError) -> UInt64?

    /// True while an installation is opted out; false where a shared row has the choice.
    func isOptedOut(_ installation: InstallationID) throws(SignetError) -> Bool

    /// Returns the number of an installation in the metadata of its events; nil if it has none.
    func number(_ installation: InstallationID) throws(SignetError) -> UInt32?

    /// Writes down the data of an open session that only its events contain.
    func fold(_ number: UInt32, of installation: InstallationID) throws(SignetError)

    // MARK: - Where a shared store has the installations

    /// True if a batch of a user on the installation can be cut now, with the facts of now.
    func isPrepared(_ installation: InstallationID, _ mpid: MPID) -> Bool

    /// Reads the facts of installations, for the next batch of each.
    ///
    /// - Parameters:
    ///   - installations: The installations.
    ///   - mpid: The user of the next batch of the first one; nil if none is to be cut.
    ///   - reach: The number of the last event that was logged before.
    /// - Throws: An error of the shared store; then nothing may be cut.
    func prepare(_ installations: [InstallationID], _ mpid: MPID?, upTo reach: UInt64) async throws(SignetError)

    /// The number of the last event that was logged before the installation was read; nil for no limit, or if it was not read.
    func reach(_ installation: InstallationID) -> UInt64?

    /// The reason for which the last reading of an installation says nothing: its row cannot be read; nil for none.
    func unreadable(_ installation: InstallationID) -> SignetError?

    /// Makes sure that no batch of a user goes out whom another replica has erased, before a request that carries old batches.
    ///
    /// - Throws: An error of the shared store, or while such an erasure is not done here; then nothing may be sent.
    func prepareToSend() async throws(SignetError)

    /// The events of a user, or of nobody, on an installation that must not be sent; nil for none.
    ///
    /// - Parameters:
    ///   - installation: The installation.
    ///   - number: Its number in the metadata of the events.
    ///   - mpid: The user; nil for anonymous events.
    /// - Returns: The events, and the reason.
    func withdrawal(_ installation: InstallationID, _ number: UInt32, _ mpid: MPID?) -> EventWithdrawal?

    /// True if a row says whose anonymous events are, and what another replica has changed while a batch was held.
    var readsRows: Bool { get }

    /// The owner of an anonymous event, by the last reading.
    ///
    /// - Parameters:
    ///   - installation: The installation.
    ///   - milliseconds: The moment of the event, since 1970.
    /// - Returns: The owner.
    func owner(_ installation: InstallationID, at milliseconds: Int64) -> AnonymousOwner

    /// The properties of a user by the last reading, which still serves a batch; nil if there is none, or no such user.
    func facts(_ installation: InstallationID, _ mpid: MPID) -> BatchUser?

    /// Forgets a reading: the next batch needs one of its own.
    func forgetReading(_ installation: InstallationID)
}

/// The owner of an event that was logged without a user.
enum AnonymousOwner: Sendable, Hashable {
    case user(MPID)
    /// The installation has no user yet: it waits.
    case noUser
    /// The row no longer remembers who was current: the event must not go to another user.
    case forgotten
}

/// The waiting events that must not be sent, by the choice of the installation's user.
enum EventWithdrawal: Sendable, Hashable {
    /// It has opted out: all but the event that says so.
    case all
    /// It has opted in at this moment, in milliseconds since 1970: those of before, except the event that said so.
    case before(Int64)
    /// There is no row, and none was known when they were logged: anonymous events wait for it.
    case installationMissing
    /// The row that was known when they were logged is gone, or another has its place.
    case installationGone
    /// The user was erased on another replica.
    case erased
    /// The user was erased and has come back at this moment, in milliseconds since 1970: those of before, and those before an opt-in.
    case erasedBefore(Int64, optedIn: Int64?)
}

extension EventUsers {
    func accepted(
        _ installation: InstallationID,
        _ mpid: MPID,
        _ facts: NumberedFacts
    ) throws(SignetError) -> FactsAcceptance {
        .inOrder
    }

    func consentNotBrought(_ installation: InstallationID, _ mpid: MPID, upTo number: Int64) throws(SignetError) {}

    func unsentConsents(_ installation: InstallationID) throws(SignetError) -> [MPID: Int64] { [:] }

    func isOptedOut(_ installation: InstallationID) throws(SignetError) -> Bool { false }

    func isPrepared(_ installation: InstallationID, _ mpid: MPID) -> Bool { true }

    func prepare(_ installations: [InstallationID], _ mpid: MPID?, upTo reach: UInt64) async throws(SignetError) {}

    func reach(_ installation: InstallationID) -> UInt64? { nil }

    func unreadable(_ installation: InstallationID) -> SignetError? { nil }

    func prepareToSend() async throws(SignetError) {}

    func withdrawal(_ installation: InstallationID, _ number: UInt32, _ mpid: MPID?) -> EventWithdrawal? { nil }

    var readsRows: Bool { false }

    func owner(_ installation: InstallationID, at milliseconds: Int64) -> AnonymousOwner { .noUser }

    func facts(_ installation: InstallationID, _ mpid: MPID) -> BatchUser? { nil }

    func forgetReading(_ installation: InstallationID) {}
}
