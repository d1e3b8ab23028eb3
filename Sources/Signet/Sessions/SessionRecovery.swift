// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel

/// Recovers the sessions that an earlier process left open, from their records and the journal.
///
/// The frames of such a process are scanned once: when the first of these installations is opened, or when the first of its
/// events is to leave the journal.
final class SessionRecovery: Sendable {
    private struct State {
        /// Complete records by installation number, where the journal has more than the disk; the next open takes them out.
        ///
        /// Nil until the journal is scanned.
        var records: [UInt32: SessionRecord]?
        /// Installations evicted as by a kill while this process lives; their frames are among the new ones.
        var evicted: Set<UInt32> = []
    }

    /// What was read of an installation's session ahead, without a lock.
    struct Reading: Sendable {
        /// The record on disk at that time.
        fileprivate let record: SessionRecord
        /// The record with the journal's events.
        fileprivate let complete: SessionRecord
        /// The last event of the journal at that time.
        fileprivate let last: UInt64
    }

    private let journal: Journal
    private let store: StateStore
    private let numbers: InstallationNumbers
    /// The last frame of earlier processes.
    private let upTo: UInt64
    private let state: Locked<State>
    /// The number of frames that are read together.
    private static let portion = 4096

    /// Makes the recovery before anything is logged.
    init(journal: Journal, store: StateStore, numbers: InstallationNumbers) {
        self.journal = journal
        self.store = store
        self.numbers = numbers
        self.upTo = journal.lastSequence
        self.state = Locked(State(records: journal.liveCount == 0 ? [:] : nil))
    }

    /// Completes the record of an installation that is being opened.
    ///
    /// - Parameters:
    ///   - number: The number of the installation.
    ///   - record: The record on disk.
    /// - Returns: The record with all events in the journal.
    /// - Throws: An error if the disk cannot be read; then the next call tries again.
    func complete(_ number: UInt32, _ record: SessionRecord) throws(SignetError) -> SessionRecord {
        try self.state.withLock { state throws(SignetError) in
            if state.evicted.contains(number) {
                let complete = try self.scan(number, record, after: record.folded)
                state.evicted.remove(number)
                return complete
            }
            try self.scan(&state)
            return state.records?.removeValue(forKey: number) ?? record
        }
    }

    /// Writes the journal's events of an installation that is not in memory to its record, before they leave the journal.
    ///
    /// - Throws: An error if the disk cannot be read or written; then the events must stay.
    func fold(_ number: UInt32) throws(SignetError) {
        try self.state.withLock { state throws(SignetError) in
            if state.evicted.contains(number), let (id, record) = try self.record(of: number) {
                let complete = try self.scan(number, record, after: record.folded)
                if complete.folded > record.folded { try self.store.put(complete.encoded(), for: StateKey.session(id)) }
                return
            }
            try self.scan(&state)
            guard let record = state.records?[number], let id = try self.numbers.installation(number) else { return }
            try self.store.put(record.encoded(), for: StateKey.session(id))
            state.records?[number] = nil
        }
    }

    /// Removes erased users from the record of an installation that is not in memory.
    ///
    /// The record then also has the journal's facts about the open session.
    ///
    /// - Parameters:
    ///   - number: The number of the installation.
    ///   - reading: What ``readAhead(_:)`` has returned: only later events are read.
    ///   - isErased: Returns true for an erased user.
    /// - Throws: An error if the disk cannot be read or written.
    func forget(
        _ number: UInt32,
        _ reading: Reading? = nil,
        _ isErased: (MPID) -> Bool
    ) throws(SignetError) {
        try self.state.withLock { state throws(SignetError) in
            guard let (id, record) = try self.record(of: number) else { return }
            var complete = record
            if state.evicted.contains(number) {
                if let reading, reading.record == record {
                    complete = try self.scan(number, reading.complete, after: reading.last)
                } else {
                    complete = try self.scan(number, record, after: record.folded)
                }
            } else {
                try self.scan(&state)
                complete = state.records?[number] ?? record
            }
            for mpid in complete.open?.mpids ?? [] where isErased(mpid) { complete.forget(mpid) }
            if complete != record { try self.store.put(complete.encoded(), for: StateKey.session(id)) }
            if !state.evicted.contains(number) { state.records?[number] = nil }
        }
    }

    /// Reads the journal ahead of ``forget(_:_:_:)``, before the caller takes a lock that opens of installations need.
    ///
    /// - Returns: What was read of this installation; nil if there is nothing to read of it alone.
    /// - Throws: An error if the disk cannot be read.
    func readAhead(_ number: UInt32) throws(SignetError) -> Reading? {
        let (isEvicted, isScanned) = self.state.withLock { ($0.evicted.contains(number), $0.records != nil) }
        if !isScanned {
            let records = try self.scanAll()
            // Each change of a record is preceded by a scan: without one meanwhile, nothing has changed.
            self.state.withLock { if $0.records == nil { $0.records = records } }
        }
        guard isEvicted, let (_, record) = try self.record(of: number) else { return nil }
        let last = self.journal.lastSequence
        return Reading(record: record, complete: try self.scan(number, record, after: record.folded), last: last)
    }

    /// Marks an installation that left memory as by a kill, or with frames that its record does not count.
    ///
    /// Does nothing for zero: an installation without a number has no frames.
    func evicted(_ number: UInt32) {
        guard number != 0 else { return }
        self.state.withLock { _ = $0.evicted.insert(number) }
    }

    private func record(of number: UInt32) throws(SignetError) -> (id: InstallationID, record: SessionRecord)? {
        guard let id = try self.numbers.installation(number) else { return nil }
        let bytes: [UInt8]?
        do throws(SignetError) {
            bytes = try self.store.value(for: StateKey.session(id))
        } catch {
            // The open of the installation reports it.
            guard error.isDamage else { throw error }
            return nil
        }
        guard let bytes else { return (id, .empty) }
        guard let record = SessionRecord(bytes) else { return nil }
        return (id, record)
    }

    // MARK: - Reading the journal

    private func scan(_ state: inout State) throws(SignetError) {
        if state.records == nil { state.records = try self.scanAll() }
    }

    private func scanAll() throws(SignetError) -> [UInt32: SessionRecord] {
        var records: [UInt32: SessionRecord] = [:]
        var changed: Set<UInt32> = []
        var without: Set<UInt32> = []
        try self.forEachPortion(after: 0, upTo: self.upTo) { frames throws(SignetError) in
            var sequences: [UInt64] = []
            for frame in frames where !without.contains(frame.installation) {
                if records[frame.installation] == nil {
                    guard let found = try self.record(of: frame.installation) else {
                        without.insert(frame.installation)
                        continue
                    }
                    records[frame.installation] = found.record
                }
                if let record = records[frame.installation], frame.sequence > record.folded {
                    sequences.append(frame.sequence)
                }
            }
            try self.read(sequences) { number, frame in
                records[number]?.take(frame)
                changed.insert(number)
            }
        }
        // The others may belong to this process by now, so what was read of them is soon outdated.
        return records.filter { changed.contains($0.key) }
    }

    private func scan(
        _ number: UInt32,
        _ record: SessionRecord,
        after sequence: UInt64
    ) throws(SignetError) -> SessionRecord {
        var record = record
        try self.forEachPortion(after: sequence, upTo: .max) { frames throws(SignetError) in
            try self.read(frames.filter { $0.installation == number }.map(\.sequence)) { record.take($1) }
        }
        return record
    }

    private func forEachPortion(
        after first: UInt64,
        upTo last: UInt64,
        _ body: ([(sequence: UInt64, installation: UInt32)]) throws(SignetError) -> Void
    ) throws(SignetError) {
        var after = first
        while after < last {
            var frames: [(sequence: UInt64, installation: UInt32)] = []
            let seen: UInt64?
            do throws(StorageError) {
                seen = try self.journal.visit(after: after, limit: Self.portion) { sequence, stamp, _ in
                    guard sequence <= last, let tag = EventMetadata(stamp), tag.place != .outside else { return }
                    frames.append((sequence, tag.installation))
                }
            } catch {
                throw SignetError(error)
            }
            guard let seen else { return }
            try body(frames)
            after = seen
        }
    }

    private func read(
        _ sequences: [UInt64],
        _ body: (_ installation: UInt32, SessionFrame) -> Void
    ) throws(SignetError) {
        do throws(StorageError) {
            try self.journal.read(sequences) { sequence, stamp, payload in
                guard let tag = EventMetadata(stamp), let frame = SessionFrame(sequence, tag, payload) else { return }
                body(tag.installation, frame)
            }
        } catch {
            throw SignetError(error)
        }
    }
}
