//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

// What makes events go before the interval of this process is over.
extension UploadStateMachine {
    /// What an earlier process left is taken in: it has waited since it was logged, and not since this process began.
    ///
    /// What has waited for an interval goes now, the rest when the oldest of it has. An event from the future has not waited,
    /// nor has one of this process: tags tell times by the minute only.
    ///
    /// - Parameters:
    ///   - last: The last event of the earlier process.
    ///   - now: The uptime.
    ///   - seconds: The wall clock, seconds since 1970; the only one that events of another process tell of.
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

    /// What an installation has logged goes within the linger: its app may not live for long.
    mutating func hasten(_ installation: UInt32, now: Duration) {
        guard let slot = self.lines.find(installation), self.lines[slot].first != nil,
            self.lines[slot].promptAt == nil
        else { return }
        self.lines[slot].promptAt = now + self.limits.priorityUploadDelay
        self.prompt.insert(installation, at: now + self.limits.priorityUploadDelay)
    }

    /// What was logged on an installation up to an event goes now: an alias request waits for it.
    ///
    /// - Returns: Whether that makes it due.
    mutating func expedite(_ installation: UInt32, upTo sequence: UInt64) -> Bool {
        guard let slot = self.lines.find(installation) else { return false }
        let wasListed = self.lines[slot].isListed
        self.lines[slot].markDue(upTo: min(sequence, self.lines[slot].last ?? 0))
        self.list(slot)
        return self.lines[slot].isListed && !wasListed
    }
}
