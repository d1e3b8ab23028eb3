//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

import struct FoundationEssentials.UUID

/// Decides which events go into which batch, and when a batch goes out.
///
/// Knows events by number and size only.
struct UploadStateMachine: Sendable {
    /// Events that may share a batch: one user on one installation.
    struct Group: Hashable, Sendable {
        let installation: InstallationID
        /// Nil while nobody is known: such events wait for the first user.
        let mpid: MPID?
    }

    /// One event.
    struct Item: Hashable, Sendable {
        let sequence: UInt64
        let bytes: Int
    }

    /// Sizes and times.
    struct Limits: Sendable {
        /// Events of one batch (the vendors' SDKs use 100).
        var events = 100
        /// Bytes of the events of one batch; the Events API allows 128 KB with everything.
        var bytes = 100 * 1024
        /// Batches under way at once.
        var inFlight = 4
        /// How long events wait for company.
        var interval: Duration
        /// How long prompt events wait for company.
        var linger: Duration
    }

    /// What to do next.
    enum Action: Sendable, Hashable {
        /// Make a batch of these events, write it down, and say so with `cut`.
        case cut(Group, [Item])
        /// Send this batch, and say how it ended with `finished`.
        case send(UUID)
        /// Wait for news, or until this uptime.
        case wait(until: Duration?)
    }

    /// How a try ended.
    enum Result: Sendable, Hashable {
        /// The platform has taken it, or refused it for good and it was set aside: the events are settled.
        case settled
        /// It must be tried again, no sooner than after this pause, and nothing else before that either.
        case postponed(Duration)
    }

    private struct Batch: Sendable {
        let group: Group
        let sequences: [UInt64]
    }

    private let limits: Limits
    private var waiting: [Group: WaitingEvents] = [:]
    /// Groups to cut now, first come first served.
    ///
    /// May name a group twice, or one that has been cut meanwhile.
    private var due: [Group] = []
    private var dueHead = 0
    private var prompt = DeadlineQueue<Group>()
    private var batches: [UUID: Batch] = [:]
    private var ready: [UUID] = []
    private var inFlight: Set<UUID> = []
    private var pausedUntil: Duration?
    private var failures = 0
    private var nextInterval: Duration
    /// A shutdown waits for the events up to this one; later ones do not hold it up.
    private var drainLimit: UInt64?
    /// Groups that still hold events of the drain.
    private var drainRemaining: Set<Group> = []

    init(limits: Limits, now: Duration) {
        self.limits = limits
        self.nextInterval = now + limits.interval
    }

    // MARK: - Coming in

    /// An event is in the journal.
    mutating func take(_ item: Item, of group: Group, isPrompt: Bool, now: Duration) {
        // In place: a copy for each event would make a long queue quadratic.
        let becomesFull = self.waiting[group, default: WaitingEvents()].append(item, limits: self.limits)
        if isPrompt, self.waiting[group]?.promptAt == nil {
            self.waiting[group]?.promptAt = now + self.limits.linger
            if group.mpid != nil { self.prompt.insert(group, at: now + self.limits.linger) }
        }
        // A full group stays due until it is empty: it is named once, however long a pause lasts.
        if group.mpid != nil, becomesFull { self.due.append(group) }
    }

    /// The first user of an installation is known: what waited is theirs, exactly once.
    mutating func adopt(_ installation: InstallationID, by mpid: MPID, now: Duration) {
        let orphaned = Group(installation: installation, mpid: nil)
        guard let waiting = self.waiting.removeValue(forKey: orphaned) else { return }
        let group = Group(installation: installation, mpid: mpid)
        var merged = self.waiting[group] ?? WaitingEvents()
        merged.merge(waiting)
        if let promptAt = waiting.promptAt, merged.promptAt == nil {
            merged.promptAt = max(promptAt, now)
            self.prompt.insert(group, at: max(promptAt, now))
        }
        self.waiting[group] = merged
        if merged.isFull(self.limits) || self.drainLimit != nil { self.due.append(group) }
        self.updateDrain(of: group)
    }

    /// A batch that an earlier process wrote down is still to be sent.
    mutating func restore(_ id: UUID, group: Group, sequences: [UInt64]) {
        self.batches[id] = Batch(group: group, sequences: sequences)
        self.ready.append(id)
    }

    /// A shutdown: everything so far goes out now, as far as a user is known.
    ///
    /// - Parameter sequence: The last event so far.
    mutating func drain(upTo sequence: UInt64) {
        self.drainLimit = sequence
        for group in self.ownedGroups {
            self.due.append(group)
            self.updateDrain(of: group)
        }
    }

    // MARK: - Going out

    /// What to do now.
    ///
    /// Ask again after each answer, until it says to wait.
    mutating func next(now: Duration) -> Action {
        if let pausedUntil, pausedUntil > now { return .wait(until: pausedUntil) }
        self.pausedUntil = nil
        self.collectDue(now: now)
        if self.ready.count + self.inFlight.count < self.limits.inFlight, let (group, items) = self.takeDue() {
            return .cut(group, items)
        }
        if self.inFlight.count < self.limits.inFlight, !self.ready.isEmpty {
            let id = self.ready.removeFirst()
            self.inFlight.insert(id)
            return .send(id)
        }
        return .wait(until: self.inFlight.count < self.limits.inFlight ? self.nextDeadline : nil)
    }

    /// A batch was made and written down.
    mutating func cut(_ id: UUID, of group: Group, sequences: [UInt64]) {
        self.batches[id] = Batch(group: group, sequences: sequences)
        self.ready.append(id)
    }

    /// A batch could not be made now: its events go back to where they were, and all wait.
    mutating func putBack(_ items: [Item], of group: Group, pause: Duration, now: Duration) {
        self.waiting[group, default: WaitingEvents()].putBack(items)
        self.updateDrain(of: group)
        self.due.append(group)
        self.pausedUntil = now + pause
    }

    /// A try has ended.
    mutating func finished(_ id: UUID, _ result: Result, now: Duration) {
        guard self.inFlight.remove(id) != nil else { return }
        switch result {
        case .settled:
            self.batches[id] = nil
            self.failures = 0
        case .postponed(let pause):
            self.ready.insert(id, at: 0)
            self.pausedUntil = max(self.pausedUntil ?? .zero, now + pause)
        }
    }

    /// A try has failed.
    ///
    /// - Returns: How many have failed in a row, this one included. Those that were under way when the first of them
    ///   failed count as one with it: they say the same of the platform.
    mutating func countFailure(now: Duration) -> Int {
        let isPaused = self.pausedUntil.map { $0 > now } ?? false
        if !isPaused || self.failures == 0 { self.failures += 1 }
        return self.failures
    }

    // MARK: - Looking

    /// Whether a drain has done what it can: nothing of it is under way, and nothing of it is left or the platform asked
    /// for a pause.
    func isDrained(now: Duration) -> Bool {
        guard let drainLimit = self.drainLimit else { return false }
        func isAwaited(_ id: UUID) -> Bool { (self.batches[id]?.sequences.first ?? .max) <= drainLimit }
        guard !self.inFlight.contains(where: isAwaited) else { return false }
        if let pausedUntil, pausedUntil > now { return true }
        return self.drainRemaining.isEmpty && !self.ready.contains(where: isAwaited)
    }

    /// Installations whose events wait for their first user.
    var orphanedInstallations: [InstallationID] {
        self.waiting.keys.filter { $0.mpid == nil }.map(\.installation)
    }

    /// Whether events of these users, logged up to a number, are still on their way.
    ///
    /// - Parameters:
    ///   - installation: Where they were logged.
    ///   - mpids: Whose; events that wait for the first user count too.
    ///   - sequence: The last number that counts.
    /// - Returns: Whether one of them is not settled.
    func isOnItsWay(_ installation: InstallationID, _ mpids: [MPID], upTo sequence: UInt64) -> Bool {
        for mpid in mpids.map(Optional.some) + [nil] {
            let group = Group(installation: installation, mpid: mpid)
            if let first = self.waiting[group]?.first, first.sequence <= sequence { return true }
        }
        return self.batches.values.contains { batch in
            batch.group.installation == installation && batch.group.mpid.map(mpids.contains) == true
                && (batch.sequences.first ?? .max) <= sequence
        }
    }

    // MARK: - Private

    private mutating func updateDrain(of group: Group) {
        guard let drainLimit = self.drainLimit else { return }
        if let first = self.waiting[group]?.first, first.sequence <= drainLimit {
            self.drainRemaining.insert(group)
        } else {
            self.drainRemaining.remove(group)
        }
    }

    private var nextDeadline: Duration {
        min(self.prompt.first ?? self.nextInterval, self.nextInterval)
    }

    private mutating func collectDue(now: Duration) {
        while let group = self.prompt.popDue(at: now) { self.due.append(group) }
        guard self.nextInterval <= now else { return }
        // After a long sleep one upload is enough: the missed ones are not made up for.
        self.nextInterval = now + self.limits.interval
        self.due.append(contentsOf: self.ownedGroups)
    }

    /// Groups whose user is known: who has waited longest comes first, in every run the same.
    private var ownedGroups: [Group] {
        self.waiting
            .filter { $0.key.mpid != nil }
            .sorted { ($0.value.first?.sequence ?? 0) < ($1.value.first?.sequence ?? 0) }
            .map(\.key)
    }

    /// Takes one batch's worth out of the first due group; what is left of a full group stays due.
    private mutating func takeDue() -> (Group, [Item])? {
        while self.dueHead < self.due.count {
            let group = self.due[self.dueHead]
            guard self.waiting[group] != nil else {
                self.dueHead += 1
                if self.dueHead >= 1024, self.dueHead * 2 > self.due.count {
                    self.due.removeFirst(self.dueHead)
                    self.dueHead = 0
                }
                continue
            }
            let items = self.waiting[group]?.take(self.limits) ?? []
            if self.waiting[group]?.first == nil { self.waiting[group] = nil }
            self.updateDrain(of: group)
            return (group, items)
        }
        self.due = []
        self.dueHead = 0
        return nil
    }
}
