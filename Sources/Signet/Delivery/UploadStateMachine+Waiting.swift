// SPDX-License-Identifier: Apache-2.0

// The events that go before the interval of this process is over.
extension UploadStateMachine {
    /// Counts the wait of an earlier process's events from the time they were logged, not from the begin of this
    /// process.
    ///
    /// Events that have waited for an interval go now; the rest go when the oldest of them has. An event from the
    /// future has not waited, nor has one of this process: the metadata has times by the minute only.
    ///
    /// - Parameters:
    ///   - last: The last event of the earlier process.
    ///   - now: The uptime.
    ///   - seconds: The wall clock, seconds since 1970; the only clock that events of another process refer to.
    mutating func continueInterval(upTo last: UInt64, now: Duration, at seconds: Int64) {
        for slot in self.lines.used {
            guard let run = self.lines[slot].run, let first = run.events.first, first <= last else { continue }
            let (passed, overflow) = seconds.subtractingReportingOverflow(Int64(run.seconds))
            guard !overflow, passed > 0 else { continue }
            let left = self.limits.interval - .seconds(passed)
            if left <= .zero {
                self.lines[slot].markDue(upTo: min(last, self.lines[slot].last ?? 0))
                self.list(slot)
            } else {
                self.nextInterval = min(self.nextInterval, now + left)
            }
        }
    }

    /// Makes an installation's events due within the priority upload delay, because its app may not live for long.
    mutating func hasten(_ installation: UInt32, now: Duration) {
        guard let slot = self.lines.find(installation), self.lines[slot].first != nil,
            self.lines[slot].promptAt == nil
        else { return }
        self.lines[slot].promptAt = now + self.limits.priorityUploadDelay
        self.prompt.insert(installation, at: now + self.limits.priorityUploadDelay)
    }

    /// Makes an installation's events up to a number due now, because an alias request waits for them.
    ///
    /// - Returns: True if that makes the installation due.
    mutating func expedite(_ installation: UInt32, upTo sequence: UInt64) -> Bool {
        guard let slot = self.lines.find(installation) else { return false }
        let wasListed = self.lines[slot].isListed
        self.lines[slot].markDue(upTo: min(sequence, self.lines[slot].last ?? 0))
        self.list(slot)
        return self.lines[slot].isListed && !wasListed
    }
}
