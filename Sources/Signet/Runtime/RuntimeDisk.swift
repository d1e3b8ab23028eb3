// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetTransport

/// The disk of a runtime: the lock of its directory, the state log and the journal.
final class RuntimeDisk: Sendable {
    private let lock: DirectoryLock
    private let log: StateLog
    let store: StateStore
    let journal: Journal
    /// Lets concurrent callers share a flush.
    let gate: GroupCommit

    /// Opens the directory.
    init(
        _ configuration: SignetConfiguration,
        services: [ServiceDefinition],
        observer: any SignetObserver,
        statistics: StatisticsRecorder
    ) throws(SignetError) {
        var stateLog = configuration.stateLog
        stateLog.disk = configuration.disk
        let batches: InFlightBatches
        do throws(StorageError) {
            self.lock = try DirectoryLock(directory: configuration.directory, disk: configuration.disk)
            self.log = try StateLog(directory: configuration.directory + "/state", options: stateLog)
            self.store = StateStore(self.log)
            batches = try InFlightBatches(self.log)
        } catch {
            throw SignetError(error)
        }
        let erasures = try ErasureRecovery(self.store)
        let erased = try max(Tombstone.erasedUpTo(in: self.store), erasures?.usedSequence() ?? 0)
        let usedSequence = max(batches.lastSequence, erased)
        do throws(StorageError) {
            var journal = configuration.journalOptions
            journal.usedSequence = usedSequence
            self.journal = try Journal(
                directory: configuration.directory + "/journal",
                options: journal,
                disk: configuration.disk
            )
            let taken = try batches.takeApart(self.log, self.journal)
            if taken > 0 {
                observer.corruptionDetected("\(taken) in-flight batches have lost events and are made again.")
            }
        } catch {
            throw SignetError(error)
        }
        let (journal, log) = (self.journal, self.log)
        self.gate = GroupCommit { () throws(SignetError) in try Self.sync(journal, log) }
        try Self.bind(self.store, to: configuration.apiKey)
        let eventsRestored = self.journal.liveCount
        // Before anything is sent or logged.
        let stored = StoredServices(self.store, services)
        let erasedRecords = try erasures?.finish(self.journal, stored, now: configuration.time.milliseconds) { erased in
            guard erased > 0 else { return }
            statistics.record { $0.eventsDropped[.forgotten, default: 0] += erased }
            observer.eventsDropped(erased, cause: .forgotten)
        }
        try InstallationReset.finishAll(in: self.store, self.journal) { found in
            // This process has not counted dead letters, or events that wait for a resend.
            statistics.record { $0.eventsDropped[.reset, default: 0] += found.events }
            statistics.recordsErased(found.serviceRecords, stored)
            if found.events > 0 { observer.eventsDropped(found.events, cause: .reset) }
        }
        statistics.recordsErased(erasedRecords ?? [:], stored)
        let neverReturned = self.journal.recovery.neverReturned
        statistics.record {
            $0.eventsRestored = eventsRestored
            $0.eventsNeverReturned = neverReturned
        }
        for (name, report) in [("state log", self.log.recovery), ("journal", self.journal.recovery)] {
            let damaged = report.damagedRecords
            guard damaged > 0 || report.tornBytes > 0 || report.neverReturned > 0 || !report.setAsideFiles.isEmpty
            else { continue }
            statistics.record { $0.damagedRecords += damaged }
            observer.corruptionDetected(
                """
                The \(name) held \(damaged) damaged records or files and \(report.tornBytes) bytes of an unfinished \
                record, quarantined in: \(report.setAsideFiles.joined(separator: ", ")). It skipped \
                \(report.neverReturned) frames that no call had returned for, unless power was lost before a sync.
                """
            )
        }
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
                "The directory belongs to a workspace with another API key. Use a directory of its own for each key."
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

    /// Releases the directory for another runtime.
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
