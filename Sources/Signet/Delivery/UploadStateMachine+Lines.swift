// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension UploadStateMachine {
    // MARK: - Coming in

    /// Takes in an event of the journal.
    ///
    /// - Parameters:
    ///   - sequence: Its number, above all before.
    ///   - tag: Its metadata in the journal.
    ///   - bytes: The bytes of its JSON and a comma.
    ///   - now: The uptime.
    mutating func take(_ sequence: UInt64, _ tag: EventMetadata, bytes: Int, now: Duration) {
        if !self.forgotten.isEmpty, self.isForgotten(tag.mpid, sequence) { return }
        let slot = self.lines.slot(of: tag.installation)
        if self.lines[slot].append(sequence, tag, bytes: bytes, self.limits) { self.list(slot) }
        if tag.urgency == .prompt, self.lines[slot].promptAt == nil {
            self.lines[slot].promptAt = now + self.limits.priorityUploadDelay
            self.prompt.insert(tag.installation, at: now + self.limits.priorityUploadDelay)
        }
        if tag.mpid == nil {
            self.anonymousCount += 1
            self.keepToLimit(slot)
        } else if self.lines[slot].hasEventsWithoutUser, self.disputed.last != tag.installation {
            self.disputed.append(tag.installation)
        }
    }

    /// Drops the oldest anonymous events for the newest: an eighth of the limit at once.
    private mutating func keepToLimit(_ slot: Int) {
        guard self.lines[slot].bytesWithoutUser > self.limits.bytesWithoutUser else { return }
        let target = self.limits.bytesWithoutUser - self.limits.bytesWithoutUser / 8
        // Each session is a run of its own: a short one is dropped as a whole.
        while self.lines[slot].bytesWithoutUser > target, self.lines[slot].waitsForUser, let run = self.lines[slot].run
        {
            let share = Double(self.lines[slot].bytesWithoutUser - target) / Double(max(1, run.bytes))
            let count = max(1, Int(Double(run.events.count) * min(1, share)))
            self.dropped += run.events.prefix(count)
            self.droppedOf.insert(self.lines[slot].number)
            self.anonymousCount -= count
            self.lines[slot].removeFirst(count)
        }
    }

    /// Attributes anonymous events to their user, exactly once.
    ///
    /// - Parameters:
    ///   - installation: The installation that logged them.
    ///   - mpid: The user; nil for an erased one: the events are not sent.
    ///   - limit: The last event to attribute; those after it belong to a later user.
    ///   - now: The uptime.
    mutating func attribute(_ installation: UInt32, to mpid: MPID?, upTo limit: UInt64 = .max, now: Duration) {
        guard let slot = self.lines.find(installation) else { return }
        if let mpid, let reach = self.forgotten[mpid] {
            self.anonymousCount -= self.lines[slot].attribute(to: nil, upTo: min(limit, reach), self.limits)
        }
        self.anonymousCount -= self.lines[slot].attribute(to: mpid, upTo: limit, self.limits)
        // Callers whose goal includes these events wait for them too.
        self.lines[slot].markDue(upTo: min(self.goals.limit, self.lines[slot].last ?? 0))
        self.changed(slot)
    }

    /// Removes events that were logged without a user and are not sent.
    mutating func takeOff(_ installation: UInt32, anonymous sequences: Set<UInt64>) {
        guard let slot = self.lines.find(installation) else { return }
        self.anonymousCount -= self.lines[slot].remove(anonymous: sequences)
        self.changed(slot)
    }

    // MARK: - Looking

    /// The installations whose events wait for their first user.
    var installationsWithAnonymousEvents: [UInt32] {
        self.lines.used.filter { self.lines[$0].hasEventsWithoutUser }.map { self.lines[$0].number }
    }

    /// The events of an installation that wait for a user, in order.
    func anonymousSequences(of installation: UInt32) -> [UInt64] {
        guard let slot = self.lines.find(installation) else { return [] }
        return self.lines[slot].runs.filter { $0.key.mpid == nil }.flatMap { $0.events.prefix($0.events.count) }
    }

    /// Returns the first user whose events follow anonymous events on an installation, and the first of them.
    func firstUser(of installation: UInt32) -> (mpid: MPID, first: UInt64)? {
        guard let slot = self.lines.find(installation) else { return nil }
        let follower = self.lines[slot].runs.drop { $0.key.mpid != nil }.first { $0.key.mpid != nil }
        guard let mpid = follower?.key.mpid, let first = follower?.events.first else { return nil }
        return (mpid, first)
    }

    /// Returns true if events of a user wait on an installation, in no batch yet.
    func hasEvents(of mpid: MPID, on installation: UInt32) -> Bool {
        self.lines.find(installation).map { slot in self.lines[slot].runs.contains { $0.key.mpid == mpid } } ?? false
    }

    /// Returns true if events of a user wait on an installation that can be cut into a batch: none without a user comes first.
    func hasSendableEvents(of mpid: MPID, on installation: UInt32) -> Bool {
        guard let slot = self.lines.find(installation) else { return false }
        return self.lines[slot].runs.prefix { $0.key.mpid != nil }.contains { $0.key.mpid == mpid }
    }

    /// Returns true while events of these users, logged up to a number, are not settled.
    ///
    /// - Parameters:
    ///   - installation: The installation that logged them.
    ///   - mpids: The users; events that wait for the first user count too.
    ///   - sequence: The last number that counts.
    /// - Returns: True if one of them is not settled.
    func isOnItsWay(_ installation: UInt32, _ mpids: [MPID], upTo sequence: UInt64) -> Bool {
        guard let slot = self.lines.find(installation) else { return false }
        let line = self.lines[slot]
        if let first = line.first, first <= sequence {
            for run in line.runs where (run.events.first ?? .max) <= sequence {
                if run.key.mpid.map(mpids.contains) ?? true { return true }
            }
        }
        return line.batches.contains { id in
            guard let batch = self.batches[id] else { return false }
            return batch.mpid.map(mpids.contains) ?? true && batch.first <= sequence
        }
    }

    /// Returns true while events of an installation have no answer.
    ///
    /// - Parameters:
    ///   - installation: The installation that logged them.
    ///   - hasUser: True if events without a user count, too.
    /// - Returns: True if one has none.
    func isOnItsWay(_ installation: UInt32, hasUser: Bool) -> Bool {
        guard let slot = self.lines.find(installation) else { return false }
        let line = self.lines[slot]
        return !line.batches.isEmpty || line.runs.contains { hasUser || $0.key.mpid != nil }
    }

    // MARK: - Changing

    /// Removes events that will not be sent.
    ///
    /// - Parameters:
    ///   - count: The number of events of the oldest run.
    ///   - bytes: Their bytes; nil if not measured.
    ///   - installation: The number of the installation.
    mutating func removeFirst(_ count: Int, bytes: Int? = nil, of installation: UInt32) {
        guard let slot = self.lines.find(installation) else { return }
        if self.lines[slot].waitsForUser { self.anonymousCount -= count }
        self.lines[slot].removeFirst(count, bytes: bytes)
        self.changed(slot)
    }

    /// Puts an installation on the list of due ones, once.
    mutating func list(_ slot: Int) {
        guard !self.lines[slot].isListed, self.lines[slot].isDue else { return }
        guard !self.aside.contains(self.lines[slot].number) else { return }
        self.lines[slot].isListed = true
        self.due.append(self.lines[slot].number)
    }

    /// Updates goals and lists after a change of a queue.
    mutating func changed(_ slot: Int) {
        let number = self.lines[slot].number
        if !self.goals.isEmpty { self.goals.update(number, oldest: self.oldest(slot)) }
        if !self.lines.removeIfEmpty(slot) { self.list(slot) }
    }

    /// Returns the oldest event of a queue that can be sent and has no answer.
    func oldest(_ slot: Int) -> UInt64? {
        let line = self.lines[slot]
        let batch = line.batches.compactMap { self.batches[$0]?.first }.min()
        let waiting = line.waitsForUser ? nil : line.first
        return [batch, waiting].compactMap { $0 }.min()
    }
}
