// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel

/// Recovers the sessions that an earlier process left open, from their records and the journal.
///
/// The places of the frames of such a process are found once, when the first of these installations is opened. Then ``foldAll``
/// writes what they say to the records, and each record is complete.
final class SessionRecovery: Sendable {
    /// The knowledge of the frames of earlier processes.
    private enum Left {
        /// Their places are not known yet. Can transition to `indexed`.
        case unread
        /// The records lack some of them. Can transition to `folded`.
        case indexed(SessionFrameIndex)
        /// The records have all of them.
        case folded
    }

    private struct State {
        var left: Left
        /// Installations evicted as by a kill while this process lives; their frames are among the new ones.
        var evicted: Set<UInt32> = []
    }

    /// An installation's session, read ahead without a lock.
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
    /// Held while the places are looked for, so that one caller does it for all.
    private let indexing = Locked(())
    /// The number of frames that are read together.
    private static let portion = 4096

    /// Makes the recovery before anything is logged.
    init(journal: Journal, store: StateStore, numbers: InstallationNumbers) {
        self.journal = journal
        self.store = store
        self.numbers = numbers
        self.upTo = journal.lastSequence
        self.state = Locked(State(left: journal.liveCount == 0 ? .folded : .unread))
    }

    // MARK: - One installation

    /// Completes the record of an installation that is being opened.
    ///
    /// The caller holds the lock under which the record is written.
    ///
    /// - Parameters:
    ///   - number: The number of the installation.
    ///   - record: The record on disk.
    /// - Returns: The record with all events in the journal.
    /// - Throws: An error if the disk cannot be read; then the next call tries again.
    func complete(_ number: UInt32, _ record: SessionRecord) throws(SignetError) -> SessionRecord {
        let complete = try self.completed(number, record)
        self.state.withLock { _ = $0.evicted.remove(number) }
        return complete
    }

    /// The same record for an object that may leave memory without writing it: the next reading completes it again.
    ///
    /// - Throws: An error if the disk cannot be read.
    func completed(_ number: UInt32, _ record: SessionRecord) throws(SignetError) -> SessionRecord {
        if self.state.withLock({ $0.evicted.contains(number) }) {
            return try self.scan(number, record, after: record.folded, upTo: .max)
        }
        guard let index = try self.index() else { return record }
        var complete = record
        let sequences = index.sequences(of: number, after: record.folded)
        if !sequences.isEmpty { try self.read(sequences) { complete.take($1) } }
        guard index.covered < self.upTo else { return complete }
        return try self.scan(number, complete, after: max(record.folded, index.covered), upTo: self.upTo)
    }

    /// Writes the journal's events of an installation that is not in memory to its record, before they leave the journal.
    ///
    /// The caller is the only one that writes the record.
    ///
    /// - Throws: An error if the disk cannot be read or written; then the events must stay.
    func fold(_ number: UInt32) throws(SignetError) {
        guard try self.mayLackFrames(number), let (id, record) = try self.record(of: number) else { return }
        let complete = try self.completed(number, record)
        if complete.folded > record.folded { try self.store.put(complete, of: id) }
    }

    private func mayLackFrames(_ number: UInt32) throws(SignetError) -> Bool {
        if self.state.withLock({ $0.evicted.contains(number) }) { return true }
        guard let index = try self.index() else { return false }
        return index.covered < self.upTo || !index.sequences(of: number, after: 0).isEmpty
    }

    /// Removes erased users from the record of an installation that is not in memory.
    ///
    /// The record then also has the journal's facts about the open session.
    ///
    /// - Parameters:
    ///   - number: The number of the installation.
    ///   - reading: The result of ``readAhead(_:)``: only later events are read.
    ///   - isErased: Returns true for an erased user.
    /// - Throws: An error if the disk cannot be read or written.
    func forget(
        _ number: UInt32,
        _ reading: Reading? = nil,
        _ isErased: (MPID) -> Bool
    ) throws(SignetError) {
        guard let (id, record) = try self.record(of: number) else { return }
        var complete: SessionRecord
        if self.state.withLock({ $0.evicted.contains(number) }), let reading, reading.record == record {
            complete = try self.scan(number, reading.complete, after: reading.last, upTo: .max)
        } else {
            complete = try self.completed(number, record)
        }
        for mpid in complete.open?.mpids ?? [] where isErased(mpid) { complete.forget(mpid) }
        if complete != record { try self.store.put(complete, of: id) }
    }

    /// Reads the journal ahead of ``forget(_:_:_:)``, before the caller takes a lock that opens of installations need.
    ///
    /// - Returns: The session of this installation; nil if there is nothing to read of it alone.
    /// - Throws: An error if the disk cannot be read.
    func readAhead(_ number: UInt32) throws(SignetError) -> Reading? {
        _ = try self.index()
        guard self.state.withLock({ $0.evicted.contains(number) }), let (_, record) = try self.record(of: number)
        else { return nil }
        let last = self.journal.lastSequence
        let complete = try self.scan(number, record, after: record.folded, upTo: .max)
        return Reading(record: record, complete: complete, last: last)
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

    // MARK: - All installations

    /// The installations whose records may lack frames of earlier processes; none once they are all written.
    ///
    /// - Throws: An error if the disk cannot be read.
    func unfolded() throws(SignetError) -> [UInt32] {
        guard let index = try self.index() else { return [] }
        guard index.covered < self.upTo else { return index.installations }
        var numbers = Set(index.installations)
        try self.forEachPortion(after: index.covered, upTo: self.upTo) { frames in
            for frame in frames { numbers.insert(frame.installation) }
        }
        return numbers.sorted()
    }

    /// Notes that the records have all frames of earlier processes: those of all ``unfolded()`` were written.
    func allFolded() {
        self.state.withLock { $0.left = .folded }
    }

    // MARK: - Reading the journal

    /// The places of the frames of earlier processes; nil if the records have all of them.
    private func index() throws(SignetError) -> SessionFrameIndex? {
        if case .found(let index) = self.places { return index }
        return try self.indexing.withLock { _ throws(SignetError) in
            if case .found(let index) = self.places { return index }
            let index = try SessionFrameIndex(self.journal, upTo: self.upTo)
            self.state.withLock { $0.left = .indexed(index) }
            return index
        }
    }

    private enum Places {
        case unknown
        case found(SessionFrameIndex?)
    }

    private var places: Places {
        self.state.withLock { state in
            switch state.left {
            case .unread: .unknown
            case .indexed(let index): .found(index)
            case .folded: .found(nil)
            }
        }
    }

    private func scan(
        _ number: UInt32,
        _ record: SessionRecord,
        after sequence: UInt64,
        upTo last: UInt64
    ) throws(SignetError) -> SessionRecord {
        var record = record
        try self.forEachPortion(after: sequence, upTo: last) { frames throws(SignetError) in
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
