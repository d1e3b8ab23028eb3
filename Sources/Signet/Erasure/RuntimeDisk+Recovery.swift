// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

// What a crash cut short is finished before anything is sent or logged.
extension RuntimeDisk {
    /// Opens the directory, and finishes batches, erasures and resets that an earlier process left.
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - services: The services that may have records.
    ///   - observer: The receiver of reports.
    ///   - statistics: Counts what was found.
    /// - Returns: The disk.
    /// - Throws: The errors of the disk; `directoryInUse`, `workspaceMismatch`, `newerFormat`.
    static func recovered(
        _ configuration: SignetConfiguration,
        services: [ServiceDefinition],
        observer: any SignetObserver,
        statistics: StatisticsRecorder
    ) throws(SignetError) -> RuntimeDisk {
        var batches: InFlightBatches?
        var erasures: ErasureRecovery?
        let disk = try RuntimeDisk(configuration) { log, store throws(SignetError) in
            do throws(StorageError) { batches = try InFlightBatches(log) } catch { throw SignetError(error) }
            erasures = try ErasureRecovery(store)
            let erased = try max(Tombstone.erasedUpTo(in: store), erasures?.usedSequence() ?? 0)
            return max(batches?.lastSequence ?? 0, erased)
        }
        let losses: InFlightBatches.Losses
        do throws(StorageError) {
            let dropsOldest = configuration.events.storage.whenFull == .dropOldest
            losses = try batches?.takeApart(disk.log, disk.journal, countsWhole: !dropsOldest) ?? .init()
        } catch {
            throw SignetError(error)
        }
        if let description = losses.description { observer.corruptionDetected(description) }
        let eventsLost = losses.events + disk.journal.recovery.lostFrames
        let eventsRestored = disk.journal.liveCount + eventsLost
        let stored = StoredServices(disk.store, services)
        let erasedRecords = try erasures?.finish(
            disk.journal,
            stored,
            now: configuration.time.milliseconds,
            isShared: configuration.fleet != nil
        ) { erased in
            guard erased > 0 else { return }
            statistics.record { $0.eventsDropped[.forgotten, default: 0] += erased }
            observer.eventsDropped(erased, cause: .forgotten)
        }
        try InstallationReset.finishAll(in: disk.store, disk.journal) { removed, records in
            // This process has not counted dead letters, or events that wait for a resend.
            statistics.record { $0.eventsDropped[.reset, default: 0] += removed.events }
            statistics.recordsErased(records, stored)
            if removed.events > 0 { observer.eventsDropped(removed.events, cause: .reset) }
        }
        statistics.recordsErased(erasedRecords ?? [:], stored)
        let neverReturned = disk.journal.recovery.neverReturned
        statistics.record {
            $0.eventsRestored = eventsRestored
            $0.eventsDamaged = eventsLost
            $0.eventsNeverReturned = neverReturned
        }
        disk.reportDamage(observer, statistics)
        return disk
    }

    private func reportDamage(_ observer: any SignetObserver, _ statistics: StatisticsRecorder) {
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
}
