// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetWire

// What only the row of an installation in a shared store says.
extension EventBacklog {
    /// The age of a batch from which another replica may have opted out or erased its user, and this one not heard of it.
    static let freshness = Duration.milliseconds(500)

    /// Collects the installations to read now.
    ///
    /// - Returns: Their numbers and ids; those without an id are given up.
    mutating func looks() -> [(number: UInt32, id: InstallationID)] {
        guard self.users.readsRows else { return [] }
        self.noteFacts()
        self.shared.look(at: self.intake.takeLooks())
        if self.machine.anonymousCount > 0,
            self.shared.isRoundDue(at: self.now, interval: self.context.ingress.interval)
        {
            self.shared.look(at: self.machine.installationsWithAnonymousEvents)
        }
        self.anonymous.beginReading(after: self.intake.last)
        self.shared.beginReading()
        var found: [(UInt32, InstallationID)] = []
        for number in self.shared.due(at: self.now) {
            let isAwaited = self.shared.isTold(number) || self.unsentConsents.contains(number)
            guard isAwaited || self.machine.lines.find(number) != nil else {
                // Sent meanwhile; its number may be forgotten.
                _ = self.shared.take(number)
                continue
            }
            do throws(SignetError) {
                if let id = try self.events.name(of: number) {
                    found.append((number, id))
                } else {
                    try self.anonymous.dropNameless(of: number, from: &self.machine)
                    self.answered.remove(self.shared.take(number).values.flatMap(\.batches))
                }
            } catch {
                self.shared.postpone(at: self.now)
                return []
            }
        }
        return found
    }

    /// Reads the rows of all installations with anonymous events soon: what was logged without the store has a user whom a row knows.
    ///
    /// Rows that could not be read are read again, too: a caller asks for what waits.
    mutating func lookAtAll() {
        guard self.users.readsRows else { return }
        self.readUnreadableAgain()
        self.shared.look(at: self.machine.installationsWithAnonymousEvents)
    }

    /// Uses the readings of installations.
    mutating func looked(at installations: [(number: UInt32, id: InstallationID)]) {
        for (number, id) in installations {
            // Read for this: a batch that is cut later needs what is so then.
            defer { self.users.forgetReading(id) }
            if let error = self.users.unreadable(id) {
                self.shared.setAside(number, until: self.now + UnreadableRows.pause)
                self.pauses.note(error)
                let events = self.machine.anonymousSequences(of: number).count
                self.unreadable.report(number, id, events: events, error)
                continue
            }
            self.unreadable.found(number)
            let delivered = self.shared.take(number)
            do throws(SignetError) {
                let isDone = try self.anonymous.attribute(of: number, id, in: &self.machine)
                if !isDone { self.shared.look(at: [number]) }
                for (mpid, entry) in delivered.sorted(by: { $0.key < $1.key }) {
                    try self.correct(number, id, mpid, delivered: entry)
                    self.answered.remove(entry.batches)
                }
                if self.unsentConsents.isRowDue(number) {
                    let isUnsent = try self.trySendingConsents(of: number)
                    self.unsentConsents.readRow(number, isUnsent: isUnsent)
                }
            } catch {
                self.shared.look(at: [number])
                for (mpid, entry) in delivered { self.shared.check(entry, of: mpid, on: number) }
                self.shared.postpone(at: self.now)
                self.pauses.note(error)
            }
        }
    }

    /// Notes the answered batches whose facts are to be compared.
    ///
    /// Another replica may have sent newer ones between such a batch's reading and its arrival. So they are compared with
    /// a reading that is made after the answer.
    mutating func noteFacts() {
        for record in self.answered.takeUncompared() {
            guard let hash = record.hash, let mpid = record.mpid else { continue }
            let delivered = SharedLooks.DeliveredFacts(facts: [record.facts], hashes: [hash], batches: [record.id])
            self.shared.check(delivered, of: mpid, on: record.installation)
        }
    }

    // MARK: - Before a request

    /// True if a request has a batch whose user another replica may have erased since it was made.
    func isOld(_ request: UploadStateMachine.Request) -> Bool {
        guard self.users.readsRows else { return false }
        return request.batches.contains { id in self.held[id].map { self.isOld($0) } ?? false }
    }

    // MARK: - Rows that cannot be read

    /// Lets the events of an installation wait whose row cannot be read.
    ///
    /// - Returns: True if they wait; nothing of the plan may be cut then.
    mutating func setAsideIfUnreadable(_ plan: UploadStateMachine.BatchPlan) throws(SignetError) -> Bool {
        guard self.users.readsRows, let id = try self.events.name(of: plan.installation) else { return false }
        guard let error = self.users.unreadable(id) else {
            self.unreadable.found(plan.installation)
            return false
        }
        // Read anew when its time has come, or when a caller asks.
        self.users.forgetReading(id)
        self.machine.setAside(plan.installation, until: self.now + UnreadableRows.pause)
        self.pauses.note(error)
        self.unreadable.report(plan.installation, id, events: plan.sequences.count, error)
        return true
    }

    /// Reads the rows again that could not be read.
    mutating func readUnreadableAgain() {
        self.machine.takeBackAll()
        self.shared.readAllAgain()
    }

    // MARK: - Facts

    private mutating func correct(
        _ number: UInt32,
        _ id: InstallationID,
        _ mpid: MPID,
        delivered: SharedLooks.DeliveredFacts
    ) throws(SignetError) {
        // Nothing is sent for users who have opted out or are gone.
        switch self.users.withdrawal(id, number, mpid) {
        case .all, .installationMissing, .installationGone, .erased: return
        case .before, .erasedBefore, nil: break
        }
        guard let user = self.users.facts(id, mpid) else { return }
        let again = delivered.outdated { user.hash(of: mpid, in: $0, self.maker.userFacts) }
        guard let again, let batch = self.maker.correction(of: mpid, user, on: number, id, again: again),
            // The last try wrote it and was killed, or could not remove the batches that it corrects.
            !self.holds(number, { $0.mpid == mpid && $0.hash == batch.record.hash && $0.content != .answered })
        else { return }
        try self.send(batch)
    }

    /// Makes a batch without events for facts of which a late batch has brought older ones; where no row says what they
    /// are.
    mutating func correct(_ late: BatchRecord) {
        guard let mpid = late.mpid else { return }
        do throws(SignetError) {
            guard let id = try self.events.name(of: late.installation),
                self.users.withdrawal(id, late.installation, mpid) == nil,
                try !self.users.isOptedOut(id), !self.machine.isForgotten(mpid, 0)
            else { return }
            let user = try self.users.batchUser(id, mpid)
            guard let batch = self.maker.correction(of: mpid, user, on: late.installation, id) else { return }
            try self.send(batch)
        } catch {
            // They are unsent: the next batch carries them.
            self.pauses.note(error)
        }
    }

    /// True if an installation has such a batch without an answer.
    func holds(_ installation: UInt32, _ isMeant: (BatchRecord) -> Bool) -> Bool {
        guard let slot = self.machine.lines.find(installation) else { return false }
        return self.machine.lines[slot].batches.contains { id in self.held[id].map { isMeant($0.record) } ?? false }
    }
}
