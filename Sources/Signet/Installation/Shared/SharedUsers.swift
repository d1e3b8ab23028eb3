// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

/// The users of installations in a shared store, for delivery: read afresh before each batch is cut.
final class SharedUsers: EventUsers {
    private struct Reading {
        /// Nil if there is no row.
        let state: SharedState?
        let received: Duration
        /// A user whom the row does not know, with whether they were erased.
        var unknown: (mpid: MPID, isErased: Bool)?

        /// True if it says all that a batch of this user needs.
        func says(of mpid: MPID) -> Bool {
            state.map { $0.identity.directory.entries[mpid] != nil } ?? true || self.unknown?.mpid == mpid
        }
    }

    /// The number of installations that are read together.
    static let portion = 64
    /// The age at which a reading is no longer used.
    private static let lifetime = Duration.milliseconds(500)

    private let fleet: FleetMember
    private let numbers: InstallationNumbers
    private let readings = Locked<[InstallationID: Reading]>([:])
    /// Removals of attributes that batches carry, for ``FleetLoop``.
    private let carried = Locked<[InstallationID: [MPID: Int64]]>([:])

    init(_ fleet: FleetMember, _ numbers: InstallationNumbers) {
        (self.fleet, self.numbers) = (fleet, numbers)
    }

    func isPrepared(_ installation: InstallationID, _ mpid: MPID) -> Bool {
        let now = self.fleet.time.uptime
        return self.readings.withLock { readings in
            readings[installation].map { now - $0.received < Self.lifetime && $0.says(of: mpid) } ?? false
        }
    }

    func prepare(_ installations: [InstallationID], _ mpid: MPID?) async throws(SignetError) {
        let keys = Dictionary(
            installations.map { (SharedIDs.key(of: Array($0.rawValue.utf8)), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        let answer = try await self.fleet.read(Array(keys.keys))
        var found: [InstallationID: SharedState] = [:]
        for row in answer.value {
            guard let id = keys[row.key] else { continue }
            found[id] = try SharedState(decoding: row.state)
        }
        self.readings.withLock { readings in
            readings = readings.filter { answer.received - $0.value.received < Self.lifetime }
            for (index, id) in installations.enumerated() {
                // A reading that was completed for another batch stays: else two installations would undo each other's.
                if index > 0, readings[id]?.unknown != nil { continue }
                readings[id] = Reading(state: found[id], received: answer.received)
            }
        }
        // An ephemeral user leaves the row, too: only the erasures tell the two apart.
        guard let mpid, let first = installations.first, let state = found[first],
            state.identity.directory.entries[mpid] == nil
        else { return }
        let isErased = try await self.fleet.isErased(mpid)
        self.readings.withLock { $0[first]?.unknown = (mpid, isErased) }
    }

    func prepareToSend() async throws(SignetError) {
        guard !self.fleet.hearsOfErasures.withLock({ $0 }) else { return }
        guard try await self.fleet.pendingErasures().isEmpty else {
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
        guard let state = reading.state else { return stamp == nil ? .installationMissing : .installationGone }
        // The row was removed and made again: these events are of the one before.
        if let stamp, state.identity.deviceApplicationStamp != stamp { return .installationGone }
        if let unknown = reading.unknown, unknown.mpid == mpid, unknown.isErased { return .erased }
        if state.identity.isOptedOut { return .all }
        return state.part.eventsFrom.map { .before($0) }
    }

    func batchUser(_ installation: InstallationID, _ mpid: MPID) throws(SignetError) -> BatchUser {
        // Used once: the next batch needs a reading of its own.
        guard let reading = self.readings.withLock({ $0.removeValue(forKey: installation) }), let state = reading.state
        else { return BatchUser() }
        return state.batchUser(mpid)
    }

    func facts(_ installation: InstallationID, _ mpid: MPID) -> BatchUser? {
        guard let state = self.readings.withLock({ $0[installation] })?.state,
            state.identity.directory.entries[mpid] != nil
        else { return nil }
        return state.batchUser(mpid)
    }

    var readsRows: Bool { true }

    func forgetReading(_ installation: InstallationID) {
        self.readings.withLock { _ = $0.removeValue(forKey: installation) }
    }

    func owner(_ installation: InstallationID, at milliseconds: Int64) -> AnonymousOwner {
        self.readings.withLock { $0[installation] }?.state?.owner(at: milliseconds) ?? .nobody
    }

    /// None: a row has moments, not numbers of a journal; see ``owner(_:at:)``.
    func anonymousAttributions(_ installation: InstallationID) throws(SignetError) -> [AnonymousAttribution] { [] }

    func removalsCarried(_ installation: InstallationID, _ mpid: MPID, upTo number: Int64) throws(SignetError) {
        self.carried.withLock { carried in
            carried[installation, default: [:]][mpid] = max(number, carried[installation]?[mpid] ?? number)
        }
    }

    /// Takes the removals that batches carry.
    func takeCarried() -> [InstallationID: [MPID: Int64]] {
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
        let entry = self.identity.directory.entries[mpid]
        return BatchUser(
            deviceApplicationStamp: self.identity.deviceApplicationStamp,
            attributes: entry?.attributes ?? [:],
            removals: (entry?.removals ?? [:]).sorted { $0.value < $1.value }.map { ($0.key, $0.value) },
            consent: self.identity.consent ?? entry?.consent,
            departedConsent: entry?.consent == nil ? self.part.departed.first { $0.mpid == mpid }?.consent : nil,
            attribution: self.identity.attribution,
            identities: entry?.identities.mapValues(\.value) ?? [:],
            deviceIdentities: self.identity.devices.values
        )
    }
}
