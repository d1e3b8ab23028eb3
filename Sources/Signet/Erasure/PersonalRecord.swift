//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// The kinds of records that can hold something of a user: the one place that lists what an erasure has to look at.
///
/// A new kind of record that names a user, or holds what is known of one, is to be added here. Beside these there are
/// the records of the visitor, of the profile and of linked work, which go with the identity, see ``RecordErasure``, the
/// frames of the journal, see ``FrameErasure``, and what is in memory, see ``SignetRuntime/eraseUser(_:within:)``.
enum PersonalRecord: CaseIterable {
    /// What an installation remembers of identity.
    case identity
    /// What an installation remembers of its sessions.
    case session
    /// A batch on its way.
    case batch
    /// A batch that was set aside.
    case deadLetterBatch
    /// An alias request on its way.
    case alias
    /// What ephemeral users agreed to who have gone.
    case departedConsents
    /// What a user did last.
    case breadcrumbs
    /// A record that could not be read.
    case unreadable

    /// What is to become of a record.
    enum Verdict {
        /// It has nothing to do with the user.
        case keep
        /// It goes.
        case remove
        /// It stays, with this in it.
        case replace([UInt8])
    }

    /// What the keys begin with.
    var prefix: [UInt8] {
        switch self {
        case .identity: StateKey.identities
        case .session: StateKey.sessions
        case .batch: StateKey.batches
        case .deadLetterBatch: StateKey.deadLetterBatches
        case .alias: StateKey.aliases
        case .departedConsents: StateKey.departedConsents
        case .breadcrumbs: StateKey.breadcrumbs
        case .unreadable: StateKey.unreadables
        }
    }

    /// Decides on a record.
    ///
    /// What cannot be read, or does not say whose it is, goes: it may be theirs, and nothing could be done with it.
    ///
    /// - Parameters:
    ///   - value: Its bytes.
    ///   - subjects: Who is to be erased.
    ///   - sequence: The last event that was logged before.
    ///   - now: Milliseconds since 1970.
    ///   - findings: Is told what was found.
    /// - Returns: What is to become of it.
    /// - Throws: `newerFormat` for what only a newer version can change.
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
            for mpid in record.open?.mpids ?? [] where subjects.contains(mpid) { record.open?.forget(mpid) }
            return record == before ? .keep : .replace(record.encoded())
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
        var isChanged = false
        for mpid in state.directory.mentioned.sorted() where subjects.contains(mpid) {
            isChanged = state.forget(mpid, upTo: sequence, now: now) || isChanged
        }
        findings.note(state)
        guard isChanged else { return .keep }
        findings.installations += 1
        return .replace(state.encoded())
    }
}

extension BatchRecord {
    /// The same batch without a word of those who are erased, where it has all its bytes with it; nil where it names none.
    func removing(_ subjects: inout ErasureSubjects) -> BatchRecord? {
        guard case .whole(let body) = self.content,
            let changed = body.withUnsafeBytes({ SessionMentions.remove(&subjects, from: $0) })
        else { return nil }
        return self.replacing(events: self.events, size: self.size, content: .whole(changed))
    }
}
