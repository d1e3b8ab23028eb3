//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// Takes users out of the records of the state log.
struct RecordErasure {
    let store: StateStore
    /// Who is to be erased.
    var subjects: ErasureSubjects
    /// What was found so far.
    var findings = ErasureFindings()

    init(_ tombstones: [Tombstone], store: StateStore) {
        self.store = store
        self.subjects = ErasureSubjects(tombstones)
    }

    /// So often the records are looked at again, at most, because damage has brought older ones back.
    private static let rounds = 10

    /// Takes them out of all records, and every byte of the old ones out of the files.
    ///
    /// - Parameters:
    ///   - sequence: The last event that was logged before.
    ///   - now: Milliseconds since 1970.
    ///   - identities: Does the same for what installations remember of identity, where they may be in memory.
    /// - Throws: What the disk says.
    mutating func eraseAll(
        upTo sequence: UInt64,
        now: Int64,
        identities: (inout RecordErasure) async throws(SignetError) -> Void
    ) async throws(SignetError) {
        for _ in 0..<Self.rounds {
            try await identities(&self)
            if try self.eraseOthers(upTo: sequence, now: now) { return }
        }
        throw .damagedWithoutEnd
    }

    /// The same at the start, when nothing is in memory.
    mutating func eraseAll(upTo sequence: UInt64, now: Int64) throws(SignetError) {
        for _ in 0..<Self.rounds {
            try self.erase(.identity, upTo: sequence, now: now)
            if try self.eraseOthers(upTo: sequence, now: now) { return }
        }
        throw .damagedWithoutEnd
    }

    /// - Returns: Whether that was all.
    private mutating func eraseOthers(upTo sequence: UInt64, now: Int64) throws(SignetError) -> Bool {
        for kind in PersonalRecord.allCases where kind != .identity {
            try self.erase(kind, upTo: sequence, now: now)
        }
        let (copies, isClean) = try self.store.erase()
        self.findings.damagedCopies += copies
        return isClean
    }

    /// Changes or removes all records of a kind that hold something of theirs.
    ///
    /// - Parameters:
    ///   - kind: Which.
    ///   - sequence: The last event that was logged before.
    ///   - now: Milliseconds since 1970.
    /// - Throws: What the disk says.
    mutating func erase(_ kind: PersonalRecord, upTo sequence: UInt64, now: Int64) throws(SignetError) {
        for key in try self.store.keys(withPrefix: kind.prefix) {
            try self.erase(key, kind, upTo: sequence, now: now)
        }
    }

    /// Changes or removes a record if it holds something of theirs.
    mutating func erase(
        _ key: [UInt8],
        _ kind: PersonalRecord,
        upTo sequence: UInt64,
        now: Int64
    ) throws(SignetError) {
        let value: [UInt8]?
        do throws(SignetError) {
            value = try self.store.value(for: key)
        } catch {
            guard error.isDamage else { throw error }
            // Otherwise the record before it would come back, and what that says of the user.
            self.findings.damagedCopies += 1
            return try self.store.remove(key)
        }
        guard let value else { return }
        switch try kind.verdict(on: value, &self.subjects, upTo: sequence, now: now, &self.findings) {
        case .keep: break
        case .remove: try self.store.remove(key)
        case .replace(let other): try self.store.put(other, for: key)
        }
    }
}

extension SignetError {
    fileprivate static let damagedWithoutEnd = SignetError(
        .diskFailed,
        "Each time the records are written anew, some of them are damaged. Check the disk; the next start goes on with it."
    )
}
