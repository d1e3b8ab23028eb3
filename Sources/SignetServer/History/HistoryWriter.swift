// SPDX-License-Identifier: Apache-2.0

#if Tool
import SignetEmulator
import SignetJournal
import SignetLock
import SignetTransport
import Synchronization

/// Records the requests to the platform in their order, and replays them.
final class HistoryWriter: RequestInterceptor {
    // The minimum size of needless records, in bytes, for a compaction while the platform runs.
    private static let idleBytes: UInt64 = 4 << 20

    private let journal: Journal
    private let workspace: JSONValue
    private let onFailure: @Sendable (EmulatorServerError) -> Void
    // Held while the platform answers, so that the journal has the platform's order. The platform takes its own locks
    // meanwhile and reads the time without a lock; it never calls back into this class.
    private let index = Locked(CompactionIndex())
    // The time of the request in progress, in milliseconds; 0 if there is none, which means the current time.
    private let pinned = Atomic<Int64>(0)
    private let hasFailed = Atomic<Bool>(false)

    init(
        _ journal: Journal,
        workspace: JSONValue,
        onFailure: @escaping @Sendable (EmulatorServerError) -> Void
    ) {
        self.journal = journal
        self.workspace = workspace
        self.onFailure = onFailure
    }

    /// The platform's time, in milliseconds since 1970.
    var time: Int64 {
        let pinned = self.pinned.load(ordering: .sequentiallyConsistent)
        return pinned == 0 ? SystemTime.milliseconds() : pinned
    }

    var isBroken: Bool {
        self.hasFailed.load(ordering: .relaxed)
    }

    func answer(_ request: TransportRequest, of emulator: Emulator) -> TransportResponse {
        var failure: StorageError?
        defer { failure.map { self.onFailure(EmulatorServerError(.storage, $0.description)) } }
        return self.index.withLock { index in
            // A replay could not see the gap before later requests.
            guard !self.isBroken else { return Self.brokenAnswer(to: request, of: emulator) }
            let now = SystemTime.milliseconds()
            self.pinned.store(now, ordering: .sequentiallyConsistent)
            defer { self.pinned.store(0, ordering: .sequentiallyConsistent) }
            let before = emulator.ledger()
            let response = emulator.decide(request)
            guard Self.mayMatter(response) else { return response }
            do throws(StorageError) {
                let record = HistoryRecord.request(request)
                let sequence = try self.append(record, at: now)
                index.note(sequence, bytes: record.payload.count, from: before, to: emulator.ledger())
                let needed = self.journal.liveBytes / 2
                self.compact(&index, of: emulator, at: now, beyond: max(Self.idleBytes, needed))
            } catch {
                // The change is in memory only; the client must not assume that it is stored.
                self.hasFailed.store(true, ordering: .relaxed)
                failure = error
                return Self.brokenAnswer(to: request, of: emulator)
            }
            return response
        }
    }

    private static func brokenAnswer(to request: TransportRequest, of emulator: Emulator) -> TransportResponse {
        emulator.refusal(of: request, 507, "INSUFFICIENT_STORAGE", Self.brokenMessage)
    }

    private static let brokenMessage =
        "The disk has failed. The emulator refuses all requests until it is restarted."

    /// Appends a record other than a request, then runs `body`.
    func record(_ record: HistoryRecord, _ body: () -> Void) throws(EmulatorServerError) {
        let outcome = self.index.withLock { _ -> Result<Void, EmulatorServerError> in
            guard !self.isBroken else { return .failure(EmulatorServerError(.storage, Self.brokenMessage)) }
            do throws(StorageError) {
                _ = try self.append(record, at: SystemTime.milliseconds())
            } catch {
                return .failure(EmulatorServerError(.storage, error.description))
            }
            body()
            return .success(())
        }
        try outcome.get()
    }

    func close() {
        self.journal.close()
    }

    /// Replays the journal to the platform; from then on, requests are recorded.
    ///
    /// - Parameters:
    ///   - emulator: The platform.
    ///   - check: Throws if parts of the journal could not be read; it runs before anything is written.
    /// - Returns: The number of replayed requests.
    /// - Throws: ``EmulatorServerError``.
    func tell(
        _ emulator: Emulator,
        check: () throws(EmulatorServerError) -> Void
    ) throws(EmulatorServerError) -> Int {
        defer { self.pinned.store(0, ordering: .sequentiallyConsistent) }
        var requests = 0
        var last: UInt64 = 0
        while case let frames = try self.frames(after: last), !frames.isEmpty {
            for frame in frames {
                guard let (time, record) = HistoryRecord.read(stamp: frame.stamp, payload: frame.payload) else {
                    throw EmulatorServerError(
                        .invalidHistory,
                        "The folder does not hold the state of an emulator. Use another folder."
                    )
                }
                self.pinned.store(time, ordering: .sequentiallyConsistent)
                let before = emulator.ledger()
                try self.tell(emulator, record, isFirst: last == 0)
                last = frame.sequence
                self.index.withLock { index in
                    switch record {
                    case .request:
                        requests += 1
                        index.note(last, bytes: frame.payload.count, from: before, to: emulator.ledger())
                    case .checkpoint: index.note(checkpoint: last)
                    case .workspace, .criteria: break
                    }
                }
            }
        }
        try check()
        if last == 0 {
            try self.record(.workspace(self.workspace)) {}
        }
        self.index.withLock { index in
            self.compact(&index, of: emulator, at: SystemTime.milliseconds(), beyond: 0)
        }
        return requests
    }

    private func tell(
        _ emulator: Emulator,
        _ record: HistoryRecord,
        isFirst: Bool
    ) throws(EmulatorServerError) {
        switch record {
        case .workspace(let workspace):
            guard workspace == self.workspace else {
                throw EmulatorServerError(
                    .invalidHistory,
                    "The folder holds the state of another workspace, \(Self.text(workspace)), but this is "
                        + "\(Self.text(self.workspace)). Start with the same options, or use another folder."
                )
            }
        case .criteria(let document, let project):
            emulator.iterable(in: project)?.setCriteria(document)
        case .checkpoint(let piece):
            emulator.restore(piece)
        case .request(let request):
            guard !isFirst else {
                throw EmulatorServerError(
                    .invalidHistory,
                    "The folder does not begin with a workspace record. Use another folder."
                )
            }
            _ = emulator.decide(request, isTrusted: true)
        }
    }

    private static func text(_ workspace: JSONValue) -> String {
        String(decoding: workspace.encoded(), as: UTF8.self)
    }

    private func frames(after sequence: UInt64) throws(EmulatorServerError) -> [Journal.Frame] {
        do throws(StorageError) {
            return try self.journal.frames(after: sequence, limit: 256)
        } catch {
            throw EmulatorServerError(.storage, error.description)
        }
    }

    private func append(_ record: HistoryRecord, at time: Int64) throws(StorageError) -> UInt64 {
        try self.journal.append(stamp: record.stamp(at: time), payload: record.payload)
    }

    /// Deletes requests whose events are forgotten, if they exceed a number of bytes.
    ///
    /// A checkpoint is written and synced before they are deleted. It holds the state, not changes, so a crash between the
    /// two steps does no harm.
    private func compact(
        _ index: inout CompactionIndex,
        of emulator: Emulator,
        at now: Int64,
        beyond bytes: UInt64
    ) {
        guard index.hasNeedless(beyond: bytes, after: emulator.ledger().forgottenBatches) else { return }
        var checkpoint: [UInt64] = []
        do throws(StorageError) {
            for piece in emulator.checkpoint() { checkpoint.append(try self.append(.checkpoint(piece), at: now)) }
            try self.journal.sync()
            try self.journal.acknowledge(index.needless)
            index.replace(by: checkpoint)
        } catch {
            // No record is lost, and the next start deletes them. If the disk accepts no more, the next request reports it.
            index.stop()
        }
    }

    /// Returns true if the platform may have changed; requests with these statuses change only the count of requests.
    private static func mayMatter(_ response: TransportResponse) -> Bool {
        ![401, 403, 404, 405].contains(response.status)
    }
}

/// The records that a history can delete once their events are forgotten.
///
/// These are requests to the events interface for users who existed and were named by MPID: a checkpoint holds their
/// remaining effects.
private struct CompactionIndex: Sendable {
    private struct Entry: Sendable {
        let sequence: UInt64
        let bytes: Int
        /// The number of forgotten batches from which the record is dead.
        let batches: Int
    }

    /// The records of the current checkpoint.
    private var checkpoint: [UInt64] = []
    private var entries: [Entry] = []
    private var deadBytes = 0
    private var isStopped = false
    // The number of entries counted as dead.
    private var dead = 0

    /// Records a request with the platform's counters before and after it.
    mutating func note(_ sequence: UInt64, bytes: Int, from before: ProgressCounters, to after: ProgressCounters) {
        guard before.eventRequests != after.eventRequests, before.users == after.users,
            before.resolvedBatches == after.resolvedBatches
        else { return }
        // A request without a new batch, such as a refused one, is deleted with the next batch.
        let batches = before.storedBatches == after.storedBatches ? after.storedBatches + 1 : after.storedBatches
        self.entries.append(Entry(sequence: sequence, bytes: bytes, batches: batches))
    }

    /// Records a checkpoint record that was read.
    mutating func note(checkpoint sequence: UInt64) {
        self.checkpoint.append(sequence)
    }

    /// Returns true when the needless records exceed a number of bytes, given the number of forgotten batches.
    mutating func hasNeedless(beyond bytes: UInt64, after forgotten: Int) -> Bool {
        while self.dead < self.entries.count, self.entries[self.dead].batches <= forgotten {
            self.deadBytes += self.entries[self.dead].bytes
            self.dead += 1
        }
        return !self.isStopped && UInt64(self.deadBytes) > bytes
    }

    /// The records to delete after a new checkpoint is written, including those of the previous checkpoint.
    var needless: [UInt64] {
        self.entries[..<self.dead].map(\.sequence) + self.checkpoint
    }

    /// Keeps all records from now on, after an error.
    mutating func stop() {
        self.isStopped = true
    }

    /// Removes the deleted records and sets the new checkpoint.
    mutating func replace(by checkpoint: [UInt64]) {
        self.entries.removeFirst(self.dead)
        self.dead = 0
        self.deadBytes = 0
        self.checkpoint = checkpoint
    }
}
#endif
