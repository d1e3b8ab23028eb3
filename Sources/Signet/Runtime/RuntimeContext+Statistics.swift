// SPDX-License-Identifier: Apache-2.0

import SignetJournal

extension RuntimeContext {
    /// The counters since the runtime was made, with those of the disk.
    var currentStatistics: SignetStatistics {
        let journal = self.journal
        var statistics = self.statistics.current
        let inMemory = self.memory.count
        statistics.eventsInMemory = inMemory
        // Events that never reached the journal: still in memory, or lost with it.
        statistics.eventsAccepted =
            journal.appendedCount + inMemory + statistics.eventsDropped[.diskFailure, default: 0]
        statistics.eventsDamaged = journal.damagedFrames
        statistics.damagedRecords += statistics.eventsDamaged
        statistics.eventsWaiting =
            statistics.eventsResending + inMemory + (self.lifecycle.report?.eventsLeft ?? journal.liveCount)
        if journal.droppedFrames > 0 { statistics.eventsDropped[.limit, default: 0] += journal.droppedFrames }
        statistics.oldestEventAge = self.oldestEventAge
        statistics.bytesOnDisk = journal.diskBytes
        statistics.fsyncs = journal.syncCount
        statistics.userChanges = self.userChanges.sentCount
        statistics.sessionChanges = self.sessionChanges.sentCount
        statistics.clockOffset = self.fleet?.clockOffset
        return statistics
    }

    private var oldestEventAge: Duration? {
        var seconds: Int64?
        do throws(StorageError) {
            _ = try self.journal.visit(after: 0, limit: 1) { _, stamp, _ in
                seconds = EventMetadata(stamp)?.seconds
            }
        } catch {
            // An unreadable disk is reported by the code that must read it.
            return nil
        }
        let now = self.configuration.time.milliseconds
        return seconds.map { .milliseconds(max(0, now - $0 * 1000)) }
    }
}
