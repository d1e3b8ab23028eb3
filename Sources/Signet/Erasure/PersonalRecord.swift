// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The kinds of records that can hold user data: the only list of the records that an erasure must check.
///
/// Add each new kind of record with user data here. The records of services and identity syncs go with the
/// identity, see ``RecordErasure``. For the frames of the journal see ``FrameErasure``; for the identities that a number
/// in a fleet keeps for its identify see ``IdentifyWish``; for data in memory see ``SignetRuntime/eraseUser(_:within:)``.
enum PersonalRecord: CaseIterable {
    /// The identity record of an installation.
    case identity
    /// The session record of an installation.
    case session
    /// A batch in flight.
    case batch
    /// A dead letter.
    case deadLetterBatch
    /// A pending alias request.
    case alias
    /// The consents of departed ephemeral users.
    case departedConsents
    /// The latest consent of a user.
    case consent
    /// The breadcrumbs of a user.
    case breadcrumbs
    /// An unreadable record.
    case unreadable

    /// The fate of a record.
    enum Verdict {
        /// The record does not concern an erased user.
        case keep
        /// The record is removed.
        case remove
        /// The record stays, with these bytes; the second value is true if the runtime has work to do for it.
        case replace([UInt8], isDue: Bool = false)
    }

    /// The prefix of the keys.
    var prefix: [UInt8] {
        switch self {
        case .identity: StateKey.identities
        case .session: StateKey.sessions
        case .batch: StateKey.batches
        case .deadLetterBatch: StateKey.deadLetterBatches
        case .alias: StateKey.aliases
        case .departedConsents: StateKey.departedConsents
        case .consent: StateKey.consents
        case .breadcrumbs: StateKey.breadcrumbs
        case .unreadable: StateKey.unreadables
        }
    }

    /// Decides on a record.
    ///
    /// A record that is unreadable, or that names no user, is removed: it may be an erased user's, and has no other use.
    ///
    /// - Parameters:
    ///   - value: The record's bytes.
    ///   - subjects: The users to erase.
    ///   - sequence: The last event logged before the erasure.
    ///   - now: The time in milliseconds since 1970.
    ///   - findings: Receives the findings.
    /// - Returns: The verdict on the record.
    /// - Throws: `newerFormat` if only a newer version can change the record.
    func verdict(
        on value: [UInt8],
        _ subjects: inout ErasureSubjects,
        upTo sequence: UInt64,
        now: Int64,
        _ findings: inout ErasureFindings
    ) throws(SignetError) -> Verdict {
        switch self {
        case .identity:
            return try Self.verdict(onIdentity: value, &subjects, upTo: sequence, now: now, &findings)
        case .session:
            guard var record = SessionRecord(value) else {
                findings.damagedCopies += 1
                return .remove
            }
            let before = record
            for mpid in record.open?.mpids ?? [] where subjects.contains(mpid) { record.forget(mpid) }
            return record == before ? .keep : .replace(record.encoded(), isDue: record.isDue)
        case .batch:
            guard let record = BatchRecord(value), let mpid = record.mpid else { return .remove }
            if subjects.contains(mpid, record.sequences.first ?? 0) { return .remove }
            return record.removing(&subjects).map { .replace($0.encoded()) } ?? .keep
        case .deadLetterBatch:
            let record = DeadLetterRecord(value)
            if var record, let mpid = record.mpid, !subjects.contains(mpid) {
                guard let body = record.body.withUnsafeBytes({ SessionMentions.remove(&subjects, from: $0) }) else {
                    return .keep
                }
                record.body = body
                return .replace(record.encoded())
            }
            findings.deadLetterBatches += 1
            findings.deadLetteredEvents += record?.events ?? 0
            return .remove
        case .alias:
            if let record = AliasRecord(value) {
                guard subjects.contains(record.source) || subjects.contains(record.destination) else { return .keep }
            }
            findings.aliasRequests += 1
            return .remove
        case .breadcrumbs:
            guard let trail = BreadcrumbTrail(value) else {
                findings.damagedCopies += 1
                return .remove
            }
            return trail.user.map { subjects.contains($0) } ?? false ? .remove : .keep
        case .consent:
            guard let consent = UserConsent(value) else {
                findings.damagedCopies += 1
                return .remove
            }
            return subjects.contains(consent.mpid) ? .remove : .keep
        case .departedConsents:
            guard var departed = DepartedConsents(value) else {
                findings.damagedCopies += 1
                return .remove
            }
            guard departed.remove(where: { subjects.contains($0.mpid) }) else { return .keep }
            return departed.entries.isEmpty ? .remove : .replace(departed.encoded())
        case .unreadable:
            findings.damagedCopies += 1
            return .remove
        }
    }

    private static func verdict(
        onIdentity value: [UInt8],
        _ subjects: inout ErasureSubjects,
        upTo sequence: UInt64,
        now: Int64,
        _ findings: inout ErasureFindings
    ) throws(SignetError) -> Verdict {
        var state: IdentityState
        do throws(SignetError) {
            state = try IdentityState(decoding: value)
        } catch {
            guard error.code != .newerFormat else { throw error }
            findings.damagedCopies += 1
            return .remove
        }
        let erased = state.mentioned.sorted().filter { subjects.contains($0) }
        let changes = erased.map { state.forget($0, upTo: sequence, now: now) }
        findings.note(state)
        guard changes.contains(true) else { return .keep }
        findings.installations += 1
        return .replace(state.encoded(), isDue: state.owesFacts)
    }
}

extension BatchRecord {
    /// The same batch without mentions of erased users; nil if it names none, or the record lacks the whole body.
    func removing(_ subjects: inout ErasureSubjects) -> BatchRecord? {
        guard case .whole(let body) = self.content,
            let changed = body.withUnsafeBytes({ SessionMentions.remove(&subjects, from: $0) })
        else { return nil }
        return self.replacing(events: self.events, size: self.size, content: .whole(changed))
    }
}
