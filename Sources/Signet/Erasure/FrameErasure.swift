//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import SignetModel

/// Takes the events of users out of the journal.
struct FrameErasure {
    /// Who is to be erased.
    private var subjects: ErasureSubjects
    /// Whose the events of nobody were, by all numbers that their installations ever had.
    private let inheritances: [UInt32: UserDirectory]
    /// Events of batches on their way: the platform may know already whose these are, and it is none of those.
    private let batched: Set<UInt64>

    /// Makes one, after the batches of those who are erased have gone.
    ///
    /// - Parameters:
    ///   - subjects: Who is to be erased.
    ///   - findings: Tells which events of nobody were theirs.
    ///   - store: Where the numbers of installations are.
    /// - Throws: What the disk says.
    init(_ subjects: ErasureSubjects, _ findings: ErasureFindings, _ store: StateStore) throws(SignetError) {
        self.subjects = subjects
        self.inheritances = try Self.withOlderNumbers(findings.inheritances, store)
        self.batched = self.inheritances.isEmpty ? [] : try Self.batchedEvents(store)
    }

    private static func batchedEvents(_ store: StateStore) throws(SignetError) -> Set<UInt64> {
        var batched: Set<UInt64> = []
        for key in try store.keys(withPrefix: StateKey.batches) {
            guard let record = try store.value(for: key).flatMap({ BatchRecord($0) }) else { continue }
            batched.formUnion(record.sequences.prefix(record.sequences.count))
        }
        return batched
    }

    /// An installation that a loss of power has made forgotten has another number since; its events of before keep theirs, and
    /// have the same heirs.
    private static func withOlderNumbers(
        _ inheritances: [UInt32: UserDirectory],
        _ store: StateStore
    ) throws(SignetError) -> [UInt32: UserDirectory] {
        guard !inheritances.isEmpty else { return [:] }
        var directories: [[UInt8]: UserDirectory] = [:]
        for (number, directory) in inheritances {
            if let name = try store.value(for: StateKey.number(number)) { directories[name] = directory }
        }
        var all = inheritances
        for key in try store.keys(withPrefix: StateKey.numberedInstallations) {
            guard let number = StateKey.number(in: key), all[number] == nil, let name = try store.value(for: key) else {
                continue
            }
            all[number] = directories[name]
        }
        return all
    }

    /// Erases.
    ///
    /// - Parameters:
    ///   - journal: Where.
    ///   - letGo: Is told how many events have gone, also where the call throws afterwards.
    /// - Returns: What went.
    /// - Throws: What the disk says.
    mutating func erase(_ journal: Journal, letGo: (Int) -> Void) throws(SignetError) -> Journal.Erasure {
        var erasure = self
        defer { self = erasure }
        do throws(StorageError) {
            return try journal.erase(
                where: { erasure.isWanted($0, $1) },
                changing: { SessionMentions.remove(&erasure.subjects, fromEvent: $0) },
                letGo: letGo
            )
        } catch {
            throw SignetError(error)
        }
    }

    private mutating func isWanted(_ sequence: UInt64, _ stamp: UnsafeRawBufferPointer) -> Bool {
        guard let tag = EventMetadata(stamp) else { return self.mentions(stamp) }
        if let mpid = tag.mpid { return self.subjects.contains(mpid, sequence) }
        guard !self.batched.contains(sequence) else { return false }
        return self.inheritances[tag.installation]?.isErased(sequence) ?? false
    }

    /// Whether one of them is anywhere in a tag that cannot be read.
    private mutating func mentions(_ stamp: UnsafeRawBufferPointer) -> Bool {
        guard stamp.count >= 8 else { return false }
        for offset in 0...stamp.count - 8 {
            let number = Int64(littleEndian: stamp.loadUnaligned(fromByteOffset: offset, as: Int64.self))
            if let mpid = MPID(rawValue: number), self.subjects.contains(mpid) { return true }
        }
        return false
    }
}
