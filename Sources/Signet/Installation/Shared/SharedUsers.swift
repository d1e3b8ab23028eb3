// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

/// The users of installations in a shared store, for delivery: read afresh before each batch is cut.
final class SharedUsers: EventUsers {
    /// The answer of the store about one installation.
    private enum Row {
        case missing
        case found(SharedState, consents: [MPID: UserConsent])
        /// Its bytes are damaged, or of a newer version.
        case unreadable(SignetError)

        init(_ row: SharedInstallation) {
            do throws(SignetError) {
                let state = try SharedState(decoding: row.state)
                // One that cannot be read counts as missing; the installation itself reports it.
                let consents = row.consents.compactMap { UserConsent($0.state) }
                let latest = Dictionary(consents.map { ($0.mpid, $0) }, uniquingKeysWith: { first, _ in first })
                self = .found(state, consents: latest)
            } catch {
                self = .unreadable(error)
            }
        }
    }

    /// The facts of an installation's users that the platform has accepted, or that a batch without events could not
    /// bring.
    struct Carried: Sendable, Hashable {
        var accepted: [MPID: [NumberedFacts]] = [:]
        /// The consents that wait for events.
        var notBrought: [MPID: Int64] = [:]

        /// True if the row has numbered some of them.
        var concernsRow: Bool {
            !self.notBrought.isEmpty || self.accepted.values.joined().contains(where: \.concernInstallation)
        }
    }

    private struct Reading {
        let row: Row
        let received: Duration
        /// The number of the last event that was logged before the question.
        let reach: UInt64
        /// The users of the row who were erased, perhaps before they came back; with the user whom the row does not know.
        ///
        /// Nil if that was not asked: such a reading serves no batch.
        var erased: Set<MPID>?
        /// Those of them whose erasure is not through all rows: that the row knows them says nothing.
        var unfinished: Set<MPID> = []
        /// Users whom the row does not know; it was found out if they were erased.
        var unknown: Set<MPID> = []

        /// True if it says all that a batch of this user needs.
        func says(of mpid: MPID) -> Bool {
            guard let state = self.state else { return true }
            return self.erased != nil && (state.identity.directory.entries[mpid] != nil || self.unknown.contains(mpid))
        }

        /// The row; nil if there is none, or none that can be read.
        var state: SharedState? {
            if case .found(let state, _) = self.row { state } else { nil }
        }

        /// The properties of a user for a batch, with their latest consent, which another installation may have.
        func batchUser(
            _ mpid: MPID,
            carrying scope: SignetConfiguration.Events.UserFacts,
            at now: Int64
        ) -> BatchUser? {
            guard case .found(let state, let consents) = self.row else { return nil }
            var user = state.batchUser(mpid)
            // Ephemeral users have no record.
            guard state.identity.directory.entries[mpid]?.isEphemeral != true else { return user }
            user.take(consents[mpid], on: state.identity, carrying: scope, at: now)
            return user
        }
    }

    /// The number of installations that are read together.
    static let portion = 64
    /// The age at which a reading is no longer used.
    private static let lifetime = Duration.milliseconds(500)

    private let fleet: FleetMember
    private let numbers: InstallationNumbers
    /// The facts that batches carry.
    private let userFacts: SignetConfiguration.Events.UserFacts
    private let readings = Locked<[InstallationID: Reading]>([:])
    /// The facts that rows are to note, for ``FleetLoop``.
    private let carried = Locked<[InstallationID: Carried]>([:])

    init(
        _ fleet: FleetMember,
        _ numbers: InstallationNumbers,
        carrying userFacts: SignetConfiguration.Events.UserFacts = .changes
    ) {
        self.fleet = fleet
        self.numbers = numbers
        self.userFacts = userFacts
    }

    func isPrepared(_ installation: InstallationID, _ mpid: MPID) -> Bool {
        let now = self.fleet.time.uptime
        return self.readings.withLock { readings in
            readings[installation].map { now - $0.received < Self.lifetime && $0.says(of: mpid) } ?? false
        }
    }

    func reach(_ installation: InstallationID) -> UInt64? {
        self.readings.withLock { $0[installation]?.reach }
    }

    func prepare(_ installations: [InstallationID], _ mpid: MPID?, upTo reach: UInt64) async throws(SignetError) {
        let keys = Dictionary(
            installations.map { (SharedIDs.key(of: Array($0.rawValue.utf8)), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        let answer = try await self.fleet.read(Array(keys.keys))
        // A row that cannot be read says so for itself alone: the others are used.
        var found: [InstallationID: Row] = [:]
        for row in answer.value {
            guard let id = keys[row.key] else { continue }
            found[id] = Row(row)
        }
        // Also of users whom the rows know: one who was erased may have come back, and older events of theirs may wait here. An ephemeral
        // user leaves the row, too: only the erasures tell the two apart. Asked after the rows: an erasure is noted before a row forgets.
        var erased: (all: Set<MPID>, unfinished: Set<MPID>)?
        // An installation has several numbers here if its row was made anew. Their batches take turns: a reading that knows the user of
        // one alone would be made again for each, for ever.
        let asked = mpid.map { mpid in self.unknown(in: installations.first).union([mpid]) } ?? []
        if !asked.isEmpty {
            let users = found.values.reduce(into: asked) { users, row in
                if case .found(let state, _) = row { users.formUnion(state.identity.directory.entries.keys) }
            }
            erased = try await self.fleet.erased(among: users)
        }
        self.readings.withLock { readings in
            readings = readings.filter { answer.received - $0.value.received < Self.lifetime }
            for (index, id) in installations.enumerated() {
                // A reading that was completed for another batch stays: else two installations would undo each other's.
                if index > 0, readings[id]?.unknown.isEmpty == false { continue }
                var reading = Reading(row: found[id] ?? .missing, received: answer.received, reach: reach)
                reading.erased = erased?.all
                reading.unfinished = erased?.unfinished ?? []
                if index == 0 {
                    reading.unknown = asked.filter { reading.state?.identity.directory.entries[$0] == nil }
                }
                readings[id] = reading
            }
        }
    }

    private func unknown(in installation: InstallationID?) -> Set<MPID> {
        self.readings.withLock { readings in installation.flatMap { readings[$0]?.unknown } ?? [] }
    }

    func unreadable(_ installation: InstallationID) -> SignetError? {
        guard case .unreadable(let error) = self.readings.withLock({ $0[installation] })?.row else { return nil }
        return error
    }

    func prepareToSend() async throws(SignetError) {
        guard !self.fleet.hearsOfErasures.withLock({ $0 }) else { return }
        // One whose rows another replica still works on holds up nothing, once its user is off this disk.
        guard try await self.fleet.pendingErasures().allSatisfy(self.fleet.isCarriedOut) else {
            throw SignetError(
                .storeBusy,
                "Another replica has erased users; batches wait until this one has erased them too."
            )
        }
        self.fleet.hearsOfErasures.withLock { $0 = true }
    }

    func withdrawal(_ installation: InstallationID, _ number: UInt32, _ mpid: MPID?) -> EventWithdrawal? {
        guard let reading = self.readings.withLock({ $0[installation] }) else { return nil }
        let stamp = self.numbers.stamp(of: number)
        let state: SharedState
        switch reading.row {
        case .missing: return stamp == nil ? .installationMissing : .installationGone
        case .unreadable: return nil
        case .found(let found, _): state = found
        }
        // The row was removed and made again: these events are of the one before.
        if let stamp, state.identity.deviceApplicationStamp != stamp { return .installationGone }
        let returned = mpid.flatMap { state.identity.directory.entries[$0]?.firstSeen }
        let isErased = mpid.map { reading.erased?.contains($0) ?? false } ?? false
        if isErased, returned == nil || mpid.map(reading.unfinished.contains) == true { return .erased }
        if state.identity.isOptedOut { return .all }
        if isErased, let returned { return .erasedBefore(returned, optedIn: state.part.eventsFrom) }
        return state.part.eventsFrom.map { .before($0) }
    }

    func batchUser(_ installation: InstallationID, _ mpid: MPID) throws(SignetError) -> BatchUser {
        // Used once: the next batch needs a reading of its own.
        let reading = self.readings.withLock { $0.removeValue(forKey: installation) }
        return reading.flatMap { self.batchUser(mpid, by: $0) } ?? BatchUser()
    }

    func facts(_ installation: InstallationID, _ mpid: MPID) -> BatchUser? {
        guard let reading = self.readings.withLock({ $0[installation] }),
            reading.state?.identity.directory.entries[mpid] != nil
        else { return nil }
        return self.batchUser(mpid, by: reading)
    }

    private func batchUser(_ mpid: MPID, by reading: Reading) -> BatchUser? {
        reading.batchUser(mpid, carrying: self.userFacts, at: self.fleet.time.milliseconds)
    }

    var readsRows: Bool { true }

    func forgetReading(_ installation: InstallationID) {
        self.readings.withLock { _ = $0.removeValue(forKey: installation) }
    }

    func owner(_ installation: InstallationID, at milliseconds: Int64) -> AnonymousOwner {
        self.readings.withLock { $0[installation] }?.state?.owner(at: milliseconds) ?? .noUser
    }

    /// None: a row has moments, not numbers of a journal; see ``owner(_:at:)``.
    func anonymousAttributions(_ installation: InstallationID) throws(SignetError) -> [AnonymousAttribution] { [] }

    func accepted(
        _ installation: InstallationID,
        _ mpid: MPID,
        _ facts: NumberedFacts
    ) throws(SignetError) -> FactsAcceptance {
        self.carried.withLock { $0[installation, default: Carried()].accepted[mpid, default: []].append(facts) }
        return .inOrder
    }

    func consentNotBrought(_ installation: InstallationID, _ mpid: MPID, upTo number: Int64) throws(SignetError) {
        self.carried.withLock { carried in
            let before = carried[installation]?.notBrought[mpid] ?? number
            carried[installation, default: Carried()].notBrought[mpid] = max(number, before)
        }
    }

    func unsentConsents(_ installation: InstallationID) throws(SignetError) -> [MPID: Int64] {
        self.readings.withLock { $0[installation] }?.state?.identity.unsentConsents ?? [:]
    }

    /// Takes the facts that rows are to note.
    func takeCarried() -> [InstallationID: Carried] {
        self.carried.withLock { carried in
            defer { carried = [:] }
            return carried
        }
    }

    /// Nothing: the row keeps the last departed users.
    func departedCarried(
        _ installation: InstallationID,
        _ number: UInt32,
        _ isDone: (DepartedConsents.Entry) -> Bool
    ) throws(SignetError) {}

    /// Nil: events are dropped by their moment; see ``withdrawal(_:)``.
    func optedOutAfter(_ installation: InstallationID) throws(SignetError) -> UInt64? { nil }

    func number(_ installation: InstallationID) throws(SignetError) -> UInt32? {
        self.numbers.number(of: installation)
    }

    /// Nothing: the row has the facts of a session.
    func fold(_ number: UInt32, of installation: InstallationID) throws(SignetError) {}
}

extension SharedState {
    /// The properties of a user for a batch; without attributes and identities if the row does not know the user.
    fileprivate func batchUser(_ mpid: MPID) -> BatchUser {
        BatchUser(self.identity, mpid, departed: self.part.departed.first { $0.mpid == mpid }?.consent)
    }
}
