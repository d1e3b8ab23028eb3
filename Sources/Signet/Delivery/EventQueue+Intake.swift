// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

extension EventQueue {
    /// The number of events that are taken in before the clock is read again.
    private static let portion = 8192

    /// Returns the first of some waits that is over, and makes the events of the waits before it due.
    ///
    /// - Parameter waits: Each waits until the events of these users on one installation, up to a number, are settled.
    /// - Returns: The index of the wait; nil if none is over.
    func firstSettled(_ waits: [(installation: InstallationID, mpids: [MPID], sequence: UInt64)]) -> Int? {
        let before = self.lastSequence
        guard self.takeIn() else { return nil }
        // New events may have made a batch full, or set a deadline.
        var hasUpdates = self.lastSequence > before
        defer { if hasUpdates { self.services.ingress.wakeup.signal() } }
        do throws(SignetError) {
            for (index, wait) in waits.enumerated() {
                guard let number = try self.number(of: wait.installation) else { return index }
                if !self.machine.isOnItsWay(number, wait.mpids, upTo: wait.sequence) { return index }
                if self.machine.expedite(number, upTo: wait.sequence) { hasUpdates = true }
            }
        } catch {
            // The wait is checked again when the disk can be read.
            self.isUnreadable = true
        }
        return nil
    }

    private func number(of installation: InstallationID) throws(SignetError) -> UInt32? {
        if let known = self.numbers[installation] { return known }
        guard let number = try self.services.users.number(installation) else { return nil }
        if self.numbers.count >= 10_000 { self.numbers = [:] }
        self.numbers[installation] = number
        return number
    }

    /// Reads new events of the journal, the first time also the data of an earlier process.
    ///
    /// Batches of an earlier process come first, because they own their events. Attributions are taken before the
    /// journal is read: by then it has all the anonymous events that they are about.
    ///
    /// - Returns: True if the journal was read to its end.
    func takeIn() -> Bool {
        self.newAttributions += self.services.ingress.takeNewAttributions()
        self.optOuts.merge(self.services.ingress.takeOptOuts().map { ($0, []) }) { records, _ in records }
        self.resets.formUnion(self.services.ingress.takeResets())
        self.hastened.formUnion(self.services.ingress.takeHastened())
        self.machine.setInterval(self.services.ingress.interval)
        do throws(SignetError) {
            if self.owned == nil, !self.isRestored { self.owned = try self.restore() }
            try self.readJournal()
            self.takeOffReset()
            try self.takeOffOptedOut()
        } catch {
            self.services.reportDamage("The disk cannot be read. Delivery continues when it works: \(error.message)")
            self.isUnreadable = true
            self.readFailure = error
            return false
        }
        if self.isUnreadable {
            self.isUnreadable = false
            // Callers that asked meanwhile for settled events got no answer.
            self.services.settled()
        }
        if !self.isRestored {
            self.isRestored = true
            self.owned = nil
            let seconds = self.services.time.milliseconds / 1000
            self.machine.continueInterval(upTo: self.leftBefore, now: self.now, at: seconds)
            for installation in self.machine.installationsWithAnonymousEvents {
                for anonymousAttribution in self.anonymousAttributions(of: installation) {
                    self.newAttributions.append(
                        EventIngress.NewAttribution(
                            installation: installation,
                            anonymousAttribution: anonymousAttribution
                        )
                    )
                }
            }
        }
        self.dropOptedOut()
        for newAttribution in self.newAttributions {
            self.attribute(newAttribution.installation, newAttribution.anonymousAttribution)
        }
        self.newAttributions = []
        self.settleDisputes()
        for installation in self.hastened.sorted() { self.machine.hasten(installation, now: self.now) }
        self.hastened = []
        self.letGo()
        return true
    }

    /// Attributes anonymous events that a user's events follow: the first user is known, though not reported yet, or
    /// never.
    private func settleDisputes() {
        let disputed = self.machine.disputed
        self.machine.disputed = []
        for installation in disputed {
            for anonymousAttribution in self.anonymousAttributions(of: installation) {
                self.attribute(installation, anonymousAttribution)
            }
            // The first user cannot be found any more: the anonymous events came before the user whose events follow.
            if let mpid = self.machine.firstUser(of: installation) {
                self.machine.attribute(installation, to: mpid, now: self.now)
            }
        }
    }

    private func attribute(_ installation: UInt32, _ anonymousAttribution: AnonymousAttribution) {
        self.machine.attribute(
            installation,
            to: anonymousAttribution.mpid,
            upTo: anonymousAttribution.upTo,
            now: self.now
        )
    }

    private func anonymousAttributions(of installation: UInt32) -> [AnonymousAttribution] {
        do throws(SignetError) {
            guard let name = try self.services.name(of: installation) else { return [] }
            return try self.services.users.anonymousAttributions(name)
        } catch {
            self.services.reportDamage("The first user of an installation cannot be read: \(error.message)")
            return []
        }
    }

    /// Removes events from the journal that made room for others.
    private func letGo() {
        guard !self.machine.dropped.isEmpty else { return }
        do throws(SignetError) {
            try self.services.acknowledge(self.machine.dropped, of: self.machine.droppedOf.sorted())
            self.services.dropped(self.machine.dropped.count, .limit)
            self.machine.dropped = []
            self.machine.droppedOf = []
        } catch {
            // They are given up all the same; removal is tried again with the next events.
            self.services.reportDamage("Events beyond a limit could not be removed from disk: \(error.message)")
        }
    }

    /// Restores the pause, the batches and the opt-outs of an earlier process.
    ///
    /// - Returns: The events of these batches.
    private func restore() throws(SignetError) -> Set<UInt64> {
        let pause = try self.services.store.value(for: StateKey.uploadPause)
        try self.vouchForClock()
        var owned: Set<UInt64> = []
        var restored = 0
        for record in try self.services.storedBatches() {
            self.hold(InFlightBatch(record: record, isRepeated: true))
            owned.formUnion(record.sequences.prefix(record.sequences.count))
            // The events of former dead letters are not in the journal, where the others were counted.
            if record.sequences.count == 0 { restored += record.events }
            // The process may have been killed before the reported removals were forgotten; forget them now.
            try self.carried(record)
        }
        try self.restoreOptOuts()
        self.services.statistics.record {
            $0.eventsRestored += restored
            $0.eventsResending += restored
        }
        if let pause { self.restorePause(pause) }
        return owned
    }

    /// Queues a written batch to be sent.
    func hold(_ batch: InFlightBatch) {
        let record = batch.record
        self.held[record.id] = batch
        self.machine.restore(
            record.id,
            of: record.installation,
            record.mpid,
            first: record.sequences.first ?? 0,
            events: record.events,
            size: record.size
        )
    }

    private func readJournal() throws(SignetError) {
        defer {
            self.services.reportDamagedEvents()
            self.services.reportDrops()
        }
        do throws(StorageError) {
            try self.services.memory.drain()
        } catch {
            // They stay in memory and are tried again: their callers were notified, and statistics show it.
        }
        do throws(StorageError) {
            var unreadable: [UInt64] = []
            let owned = self.owned ?? []
            // Numbers at the end may have no event any more, or never had one: they count as read.
            let end = self.services.journal.lastSequence
            while try Self.visit(
                self.services.journal,
                after: &self.lastSequence,
                except: owned,
                now: self.now,
                into: &self.machine,
                &unreadable
            ) {}
            self.lastSequence = max(self.lastSequence, end)
            guard !unreadable.isEmpty else { return }
            self.services.reportDamage(
                "The metadata of \(unreadable.count) journal events cannot be read. The events stay there unsent."
            )
        } catch {
            throw SignetError(error)
        }
    }

    /// Reads one portion, in its own function so that the machine is accessed once for all its events.
    ///
    /// - Parameters:
    ///   - journal: The journal.
    ///   - last: The last event that was taken in. It advances even if the disk fails in the middle, so that no event
    ///     is taken in twice.
    ///   - owned: The events of batches that were written down.
    ///   - now: The uptime.
    ///   - machine: The machine that takes the events.
    ///   - unreadable: Receives the numbers of events without readable metadata.
    /// - Returns: True if there may be more.
    /// - Throws: An error if the disk cannot be read.
    private static func visit(
        _ journal: Journal,
        after last: inout UInt64,
        except owned: Set<UInt64>,
        now: Duration,
        into machine: inout UploadStateMachine,
        _ unreadable: inout [UInt64]
    ) throws(StorageError) -> Bool {
        let end = try journal.visit(after: last, limit: Self.portion) { sequence, stamp, count in
            last = sequence
            if !owned.isEmpty, owned.contains(sequence) { return }
            guard let tag = EventMetadata(stamp) else { return unreadable.append(sequence) }
            machine.take(sequence, tag, bytes: count + 1, now: now)
        }
        return end != nil
    }
}

extension EventQueue {
    /// Removes all events and batches of reset installations from the upload queue: their consent is gone, or will go.
    func takeOffReset() {
        for number in self.resets {
            for id in self.machine.remove(number) { self.held[id] = nil }
        }
        if !self.resets.isEmpty { self.services.settled() }
    }
}
