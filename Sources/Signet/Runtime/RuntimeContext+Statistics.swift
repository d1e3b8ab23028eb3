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
        statistics.eventsDamaged += journal.damagedFrames
        statistics.damagedRecords += statistics.eventsDamaged
        statistics.eventsWaiting =
            statistics.eventsResending + inMemory + (self.lifecycle.report?.eventsLeft ?? journal.liveCount)
        if journal.droppedFrames > 0 { statistics.eventsDropped[.limit, default: 0] += journal.droppedFrames }
        let due = self.dueWork.status
        statistics.eventsWaitingForUser = due.eventsWaitingForUser
        statistics.eventsWaitingForApp = due.eventsWaitingForApp
        statistics.dueWork = due.kinds.mapValues(\.count)
        statistics.dueWorkDone = due.done
        (statistics.oldestEventAge, statistics.oldestEventAges) = self.oldestEventAges(due)
        statistics.bytesOnDisk = journal.diskBytes
        statistics.fsyncs = journal.syncCount
        statistics.userChanges = self.userChanges.sentCount
        statistics.sessionChanges = self.sessionChanges.sentCount
        statistics.clockOffset = self.fleet?.clockOffset
        return statistics
    }

    /// The age of the oldest event, and those by what events wait for.
    private func oldestEventAges(_ due: DueWorkReports.Status) -> (Duration?, [String: Duration]) {
        guard let oldest = self.oldestEvent.milliseconds(in: self.journal) else { return (nil, [:]) }
        let now = self.configuration.time.milliseconds
        func age(_ milliseconds: Int64) -> Duration { .milliseconds(max(0, now - milliseconds)) }
        // Without events of nobody, the oldest one waits for an upload: that is known without a look.
        let isKnown = due.eventsWaitingForUser > 0 && !due.oldest.isEmpty
        return (age(oldest), isKnown ? due.oldest.mapValues(age) : ["upload": age(oldest)])
    }
}
