// SPDX-License-Identifier: Apache-2.0

import SignetJournal

extension SignetRuntime {
    /// The counters since this runtime was made.
    public var statistics: SignetStatistics {
        let journal = self.context.journal
        var statistics = self.context.statistics.current
        let inMemory = self.context.memory.count
        statistics.eventsInMemory = inMemory
        // Events that never reached the journal: still in memory, or lost with it.
        statistics.eventsAccepted =
            journal.appendedCount + inMemory + statistics.eventsDropped[.diskFailure, default: 0]
        statistics.eventsDamaged = journal.damagedFrames
        statistics.damagedRecords += statistics.eventsDamaged
        statistics.eventsWaiting =
            statistics.eventsResending + inMemory + (self.context.lifecycle.report?.eventsLeft ?? journal.liveCount)
        if journal.droppedFrames > 0 { statistics.eventsDropped[.limit, default: 0] += journal.droppedFrames }
        statistics.oldestEventAge = self.oldestEventAge
        statistics.bytesOnDisk = journal.diskBytes
        statistics.fsyncs = journal.syncCount
        statistics.userChanges = self.context.userChanges.sentCount
        statistics.sessionChanges = self.context.sessionChanges.sentCount
        return statistics
    }

    private var oldestEventAge: Duration? {
        var seconds: Int64?
        do throws(StorageError) {
            _ = try self.context.journal.visit(after: 0, limit: 1) { _, stamp, _ in
                seconds = EventMetadata(stamp)?.seconds
            }
        } catch {
            // An unreadable disk is reported by the code that must read it.
            return nil
        }
        let now = self.context.configuration.time.milliseconds
        return seconds.map { .milliseconds(max(0, now - $0 * 1000)) }
    }
}
