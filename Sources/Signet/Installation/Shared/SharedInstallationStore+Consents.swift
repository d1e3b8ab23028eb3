// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

// The latest consents of the row's users, which the store keeps for all installations.
extension SharedInstallationStore {
    /// The latest consent of a user, as it was last read; nil for none.
    func latestConsent(of mpid: MPID) -> UserConsent? {
        self.known(mpid)?.record.answered
    }

    /// Reads the consents of a row; those that cannot be read are reported, and count as missing.
    func consents(of row: SharedInstallation?) -> [KnownConsents.Known] {
        (row?.consents ?? []).compactMap { self.readable($0) }
    }

    /// Takes over the consents of a reading whose row says nothing new.
    func takeConsents(of answer: FleetMember.Answer<SharedInstallation?>) {
        let consents = self.consents(of: answer.value)
        self.state.withLock { $0.consents.take(consents, sent: answer.sent, received: answer.received) }
    }

    /// The latest consent of a user; the store is asked for that of one who is new to the row.
    ///
    /// - Throws: ``SignetError`` of the store.
    nonisolated(nonsending) func latestConsentOrRead(of mpid: MPID) async throws(SignetError) -> UserConsent? {
        // The last reading of a user who is not in the row may be of before an erasure.
        let isInRow = self.read { $0.state.directory.entries[mpid] != nil }
        if isInRow, let known = self.known(mpid) { return known.record.answered }
        return try await self.readConsent(of: mpid)?.record.answered
    }

    /// Takes an answer of a user into their record, before the row says it: after a kill in between it counts for all
    /// installations.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - mpid: The user.
    /// - Returns: The fate of the answer; nil if no row mentions the user.
    /// - Throws: ``SignetError`` of the store. Then nothing was changed, except for `outcomeUnknown`.
    nonisolated(nonsending) func record(
        _ answer: ConsentAnswer,
        of mpid: MPID
    ) async throws(SignetError) -> AnsweredConsent? {
        var latest = self.known(mpid)
        // Another installation may have answered since the last reading.
        var isFresh = false
        for _ in 0..<Self.tries {
            switch answer.meaning(for: mpid, on: latest?.record, at: self.fleet.time.milliseconds) {
            case .record(let record):
                let written = KnownConsents.Known(record, tag: .random())
                let before = latest
                latest = try await self.write(written, replacing: before)
                isFresh = true
                if latest == written {
                    return AnsweredConsent(mpid: mpid, latest: before?.record, answer: .taken)
                }
                if latest == nil, before == nil { return nil }
            case .same where isFresh:
                return AnsweredConsent(mpid: mpid, latest: latest?.record, answer: .same)
            case .outdated where isFresh:
                return AnsweredConsent(mpid: mpid, latest: latest?.record, answer: .outdated)
            case .same, .outdated:
                latest = try await self.readConsent(of: mpid)
                isFresh = true
            }
        }
        throw .storeBusy
    }

    /// Notes that the platform has accepted a consent of a user; a reading of the row says later if it was late.
    ///
    /// - Throws: ``SignetError`` of the store; then another batch carries the latest consent.
    nonisolated(nonsending) func accepted(
        _ carried: UserConsent.Version,
        of mpid: MPID
    ) async throws(SignetError) {
        var latest = self.known(mpid)
        if latest == nil { latest = try await self.readConsent(of: mpid) }
        if latest == nil, carried.number > 0, !self.isRead { try await self.refresh() }
        // That of the installation needs no answer of the user; the store makes no record of one whom no row mentions.
        let isMade = carried.number > 0 && self.read { $0.state.consent != nil && $0.state.mayHaveRecord(of: mpid) }
        for _ in 0..<Self.tries {
            let before = latest
            let known = before?.record ?? (isMade ? UserConsent(unansweredBy: mpid) : nil)
            guard var record = known, record.accept(carried, at: self.fleet.time.milliseconds) != nil else { return }
            let written = KnownConsents.Known(record, tag: .random())
            latest = try await self.write(written, replacing: before)
            if latest == written || latest == nil && before == nil { return }
        }
        throw .storeBusy
    }

    /// Makes the answer of a user count as given now; see ``ConsentRecords/renew(_:after:)``.
    ///
    /// - Throws: ``SignetError`` of the store. Then nothing was changed, except for `outcomeUnknown`.
    nonisolated(nonsending) func renewConsent(of mpid: MPID, after moment: Int64?) async throws(SignetError) {
        // Another installation may have answered since the last reading.
        var latest = try await self.readConsent(of: mpid)
        for _ in 0..<Self.tries {
            guard let before = latest else { return }
            var record = before.record
            guard record.renew(after: moment, at: self.fleet.time.milliseconds) else { return }
            let written = KnownConsents.Known(record, tag: .random())
            latest = try await self.write(written, replacing: before)
            if latest == written { return }
        }
        throw .storeBusy
    }

    private func known(_ mpid: MPID) -> KnownConsents.Known? {
        self.state.withLock { $0.consents[mpid] }
    }

    /// Writes a record.
    ///
    /// - Returns: The record of now: this one, or that of another process; nil for none.
    private nonisolated(nonsending) func write(
        _ known: KnownConsents.Known,
        replacing before: KnownConsents.Known?
    ) async throws(SignetError) -> KnownConsents.Known? {
        let mpid = known.record.mpid
        let consent = SharedConsent(of: mpid, state: known.record.encoded(), tag: known.tag)
        switch try await self.fleet.write(consent, replacing: before?.tag) {
        case .written:
            self.note(known, of: mpid)
            return known
        case .differs(let other):
            let found = other.flatMap { self.readable($0) }
            self.note(found, of: mpid)
            return found
        }
    }

    private nonisolated(nonsending) func readConsent(of mpid: MPID) async throws(SignetError) -> KnownConsents.Known? {
        let found = try await self.fleet.consent(of: mpid).flatMap { self.readable($0) }
        self.note(found, of: mpid)
        return found
    }

    private func note(_ known: KnownConsents.Known?, of mpid: MPID) {
        let now = self.fleet.time.uptime
        self.state.withLock { $0.consents.note(known, of: mpid, at: now) }
    }

    private func readable(_ consent: SharedConsent) -> KnownConsents.Known? {
        do throws(SignetError) {
            return try KnownConsents.Known(consent)
        } catch {
            let description = "The consent of a user cannot be read: \(error.message)"
            self.writer.context.reportDamage(description, of: .consent(consent.mpid))
            return nil
        }
    }
}
