// SPDX-License-Identifier: Apache-2.0

extension UploadStateMachine {
    /// The progress of a goal.
    enum Progress: Sendable, Hashable {
        /// All events were answered for.
        case reached
        /// No event of the goal is in flight: there is a pause, or each of its installations waits by itself.
        case paused
        /// Delivery continues.
        case underWay
    }

    /// Makes all events so far due, except those without a known user.
    ///
    /// - Parameters:
    ///   - sequence: The last event so far; later ones do not delay the goal.
    ///   - installation: The number of the only installation that counts; nil for all.
    /// - Returns: The number of the goal.
    mutating func aim(upTo sequence: UInt64, of installation: UInt32? = nil) -> Int {
        var remaining: Set<UInt32> = []
        let slots = installation.map { number in [self.lines.find(number)].compactMap { $0 } } ?? Array(self.lines.used)
        for slot in slots {
            guard let oldest = self.oldest(slot), oldest <= sequence else { continue }
            remaining.insert(self.lines[slot].number)
            self.lines[slot].markDue(upTo: min(sequence, self.lines[slot].last ?? 0))
            self.list(slot)
        }
        return self.goals.add(upTo: sequence, of: installation, remaining)
    }

    /// Returns the progress of a goal.
    func progress(of goal: Int, now: Duration) -> Progress {
        guard let (_, installations) = self.goals.find(goal), !installations.isEmpty else { return .reached }
        guard self.isPaused(now: now) || self.allWait(installations, now: now) else { return .underWay }
        let isUnderWay = self.requests.contains { id in
            self.batches[id].map { installations.contains($0.installation) } ?? false
        }
        return isUnderWay ? .underWay : .paused
    }

    /// Returns the number of events of a goal without an answer.
    func left(of goal: Int) -> Int {
        guard let (limit, installations) = self.goals.find(goal) else { return 0 }
        return installations.reduce(into: 0) { count, installation in
            guard let slot = self.lines.find(installation) else { return }
            for id in self.lines[slot].batches {
                if let batch = self.batches[id], batch.first <= limit { count += batch.events }
            }
            for run in self.lines[slot].runs where run.key.mpid != nil { count += run.events.count(upTo: limit) }
        }
    }

    /// The number of further events before a batch can be full; the queue may sleep until then.
    ///
    /// It is exact for up to a thousand installations; for more it would cost more than it saves.
    var eventsUntilFull: UInt64 {
        guard self.lines.count <= 1000 else { return UInt64(self.limits.events) }
        // A longer event wakes the queue by itself.
        let left = self.lines.least(self.limits.events) { line in
            min(self.limits.events - line.openCount, (self.limits.bytes - line.openBytes) / EventIngress.longEvent)
        }
        return UInt64(max(1, left))
    }
}
