// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetTransport

/// The disk of a runtime: the lock of its directory, the state log and the journal.
///
/// Work that reads all of the disk, or writes it anew, runs on one thread of its own, see ``perform(_:)``. Flushes that callers await have
/// another, so that none is behind long work. What runs under the lock of an installation or of the registry stays with its caller:
/// short reads and writes of the page cache. It flushes only if new installations come faster than the disk reserves numbers for them,
/// see ``InstallationNumbers``.
final class RuntimeDisk: Sendable {
    private let lock: DirectoryLock
    let log: StateLog
    let store: StateStore
    let journal: Journal
    /// Lets concurrent callers share a flush.
    private let gate: GroupCommit
    /// For long work.
    private let thread: BlockingThread
    /// For flushes and the close.
    private let flushes: BlockingThread

    /// Opens the directory.
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - usedSequence: Finds the highest event number in the records: the journal must not assign it again.
    /// - Throws: `SignetError` from the disk; `directoryInUse`, `workspaceMismatch`, `newerFormat`.
    init(
        _ configuration: SignetConfiguration,
        usedSequence: (StateLog, StateStore) throws(SignetError) -> UInt64
    ) throws(SignetError) {
        self.thread = BlockingThread(configuration.diskWork)
        self.flushes = BlockingThread(configuration.diskWork, label: "signet-flush")
        var stateLog = configuration.stateLog
        stateLog.disk = configuration.disk
        do throws(StorageError) {
            self.lock = try DirectoryLock(directory: configuration.directory, disk: configuration.disk)
            self.log = try StateLog(directory: configuration.directory + "/state", options: stateLog)
        } catch {
            let error = SignetError(error)
            throw error.naming(Remedy.ofDirectory(error.code))
        }
        self.store = StateStore(self.log)
        var options = configuration.journalOptions
        options.aside = self.thread.aside
        options.usedSequence = try usedSequence(self.log, self.store)
        do throws(StorageError) {
            self.journal = try Journal(
                directory: configuration.directory + "/journal",
                options: options,
                disk: configuration.disk
            )
        } catch {
            let error = SignetError(error)
            throw error.naming(Remedy.ofDirectory(error.code))
        }
        let (journal, log) = (self.journal, self.log)
        self.gate = GroupCommit(on: self.flushes) { () throws(SignetError) in try Self.sync(journal, log) }
        try Self.bind(self.store, to: configuration.apiKey)
    }

    /// Binds the directory to one API key for ever, by its hash: another key would send events to another workspace.
    private static func bind(_ store: StateStore, to apiKey: String) throws(SignetError) {
        let hash = SHA256.hash(Array("signet-workspace:\(apiKey)".utf8))
        guard let bound = try store.value(for: StateKey.workspace) else {
            return try store.put(hash, for: StateKey.workspace)
        }
        guard bound == hash else {
            throw SignetError(
                .workspaceMismatch,
                "The directory belongs to a workspace with another API key. Set `directory` to a folder of its own for each key."
            )
        }
    }

    /// Flushes all data, so that it survives a power loss; blocks the caller's thread.
    func sync() throws(SignetError) {
        try Self.sync(self.journal, self.log)
    }

    /// Flushes all data, so that it survives a power loss; tasks share flushes and wait without a thread.
    func syncTogether() async throws(SignetError) {
        try await self.gate.sync()
    }

    /// Performs work on the disk's own thread, one piece at a time; the caller waits without a thread.
    ///
    /// A cancelled task waits all the same. A long piece holds up the work of others, but no flush.
    ///
    /// - Parameter work: Must not wait for other work of the thread.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable () throws(SignetError) -> Value
    ) async throws(SignetError) -> Value {
        try await self.thread.perform { Result { () throws(SignetError) in try work() } }.get()
    }

    /// Performs work as ``perform(_:)`` does, but a cancelled task does not wait for it.
    ///
    /// The end of a runtime must not wait for a compaction: the close of the directory stops it.
    ///
    /// - Parameter work: Must not wait for other work of the thread. It may still run after a cancellation.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work; `cancelled` if the task was cancelled before the work's end.
    func performUntilCancelled<Value: Sendable>(
        _ work: @escaping @Sendable () throws(SignetError) -> Value
    ) async throws(SignetError) -> Value {
        guard let aside = self.thread.aside else { return try await self.perform(work) }
        let outcome = Promise<Result<Value, SignetError>>()
        aside { outcome.resolve(Result { () throws(SignetError) in try work() }) }
        guard let result = await outcome.value() else { throw .cancelled }
        return try result.get()
    }

    /// Takes a flush without a waiting caller, for the thread of the flushes; nil if there is none.
    var flushAside: (@Sendable (_ work: @escaping @Sendable () -> Void) -> Void)? {
        self.flushes.aside
    }

    private static func sync(_ journal: Journal, _ log: StateLog) throws(SignetError) {
        do throws(StorageError) {
            try journal.sync()
            try log.sync()
        } catch {
            throw SignetError(error)
        }
    }

    /// Compacts the state log if it has grown, and does the maintenance that journal appends deferred.
    func tidy() throws(SignetError) {
        do throws(StorageError) {
            if self.log.needsCompaction { try self.log.compact() }
            try self.journal.maintain()
        } catch {
            throw SignetError(error)
        }
    }

    /// Releases the directory on the thread of the flushes: it stops a compaction of the records that is under way.
    ///
    /// - Returns: As ``close()``.
    func closeAside() async -> Int {
        await self.flushes.perform { self.close() }
    }

    /// Releases the directory for another runtime; may block the caller's thread.
    ///
    /// - Returns: The number of events that stay in the journal; nothing is accepted after the count.
    @discardableResult
    func close() -> Int {
        let eventsLeft = self.journal.close()
        self.log.close()
        self.lock.close()
        return eventsLeft
    }
}
