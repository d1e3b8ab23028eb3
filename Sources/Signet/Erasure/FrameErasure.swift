// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

/// Removes the events of erased users from the journal.
struct FrameErasure {
    private var subjects: ErasureSubjects
    /// The heirs of events without a user, by all numbers that their installations ever had.
    private let pastAttributions: [UInt32: UserDirectory]
    /// Events that were logged without a user and belong to an erased one, by the shared row.
    private let attributed: Set<UInt64>
    /// The events of batches in flight: the platform may already know their user, who is none of the erased users.
    private let batched: Set<UInt64>

    /// Makes an erasure, after the batches of the erased users were removed.
    ///
    /// - Parameters:
    ///   - subjects: The users to erase.
    ///   - findings: The findings, with the inheritances of events without a user.
    ///   - store: The store with the numbers of installations and the batches.
    ///   - attributed: Events that were logged without a user and belong to an erased one, by the shared row.
    /// - Throws: `SignetError` from the disk.
    init(
        _ subjects: ErasureSubjects,
        _ findings: ErasureFindings,
        _ store: StateStore,
        attributed: Set<UInt64> = []
    ) throws(SignetError) {
        self.subjects = subjects
        self.attributed = attributed
        self.pastAttributions = try Self.withOlderNumbers(findings.pastAttributions, store)
        self.batched = self.pastAttributions.isEmpty ? [] : try Self.batchedEvents(store)
    }

    private static func batchedEvents(_ store: StateStore) throws(SignetError) -> Set<UInt64> {
        var batched: Set<UInt64> = []
        for key in try store.keys(withPrefix: StateKey.batches) {
            guard let record = try store.value(for: key).flatMap({ BatchRecord($0) }) else { continue }
            batched.formUnion(record.sequences.prefix(record.sequences.count))
        }
        return batched
    }

    /// Adds the older numbers of installations that a loss of power made forgotten.
    ///
    /// Such an installation has a new number; its earlier events keep the old number, and have the same heirs.
    private static func withOlderNumbers(
        _ pastAttributions: [UInt32: UserDirectory],
        _ store: StateStore
    ) throws(SignetError) -> [UInt32: UserDirectory] {
        guard !pastAttributions.isEmpty else { return [:] }
        var directories: [InstallationID: UserDirectory] = [:]
        for (number, directory) in pastAttributions {
            guard let bytes = try store.value(for: StateKey.number(number)) else { continue }
            directories[try NumberRecord(either: bytes).id] = directory
        }
        var all = pastAttributions
        for key in try store.keys(withPrefix: StateKey.numberedInstallations) {
            guard let number = StateKey.number(in: key), all[number] == nil, let bytes = try store.value(for: key)
            else { continue }
            all[number] = directories[try NumberRecord(either: bytes).id]
        }
        return all
    }

    /// Erases the events.
    ///
    /// - Parameters:
    ///   - journal: The journal to erase from.
    ///   - letGo: Receives the number of erased events, even if the call throws afterwards.
    /// - Returns: The result of the journal's erasure.
    /// - Throws: `SignetError` from the disk.
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
        if self.attributed.contains(sequence) { return true }
        guard !self.batched.contains(sequence) else { return false }
        return self.pastAttributions[tag.installation]?.isErased(sequence) ?? false
    }

    /// Returns true if an unreadable tag contains the MPID of an erased user at any offset.
    private mutating func mentions(_ stamp: UnsafeRawBufferPointer) -> Bool {
        guard stamp.count >= 8 else { return false }
        for offset in 0...stamp.count - 8 {
            let number = Int64(littleEndian: stamp.loadUnaligned(fromByteOffset: offset, as: Int64.self))
            if let mpid = MPID(rawValue: number), self.subjects.contains(mpid) { return true }
        }
        return false
    }
}
