// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetWire

// What only the row of an installation in a shared store says.
extension EventBacklog {
    /// The age of a batch from which another replica may have erased its user, and this one not heard of it.
    static let freshness = Duration.milliseconds(500)

    /// Collects the installations to read now.
    ///
    /// - Returns: Their numbers and ids; those without an id are given up.
    mutating func looks() -> [(number: UInt32, id: InstallationID)] {
        guard self.users.readsRows else { return [] }
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
            guard self.machine.lines.find(number) != nil || self.shared.isTold(number) else {
                // Sent meanwhile; its number may be forgotten.
                _ = self.shared.take(number)
                continue
            }
            do throws(SignetError) {
                if let id = try self.events.name(of: number) {
                    found.append((number, id))
                } else {
                    try self.anonymous.dropNameless(of: number, from: &self.machine)
                    _ = self.shared.take(number)
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
            let told = self.shared.take(number)
            do throws(SignetError) {
                let isDone = try self.anonymous.attribute(of: number, id, in: &self.machine)
                if !isDone { self.shared.look(at: [number]) }
                for (mpid, facts) in told.sorted(by: { $0.key < $1.key }) {
                    try self.correct(number, id, mpid, told: facts)
                }
            } catch {
                self.shared.look(at: [number])
                for (mpid, facts) in told { self.shared.check(facts, of: mpid, on: number) }
                self.shared.postpone(at: self.now)
                self.pauses.note(error)
            }
        }
    }

    /// Notes the batches of an answered request: their facts may be old by now, however young they are.
    ///
    /// Another replica may have told the platform newer ones between this batch's reading and its arrival. So they are compared with a
    /// reading that is made after the answer.
    mutating func noteFacts(of parts: [Part]) {
        guard self.users.readsRows else { return }
        for part in parts {
            guard let facts = part.batch.record.facts, let mpid = part.batch.record.mpid else { continue }
            self.shared.check(facts, of: mpid, on: part.batch.record.installation)
        }
    }

    // MARK: - Before a request

    /// True if a request has a batch whose user another replica may have erased since it was made.
    func isOld(_ request: UploadStateMachine.Request) -> Bool {
        guard self.users.readsRows else { return false }
        return request.batches.contains { id in
            guard let batch = self.held[id] else { return false }
            return batch.madeAt.map { self.now - $0 >= Self.freshness } ?? true
        }
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
        told: UInt64
    ) throws(SignetError) {
        // Nothing is told of users who have opted out or are gone.
        switch self.users.withdrawal(id, number, mpid) {
        case .all, .installationMissing, .installationGone, .erased: return
        case .before, .erasedBefore, nil: break
        }
        guard let user = self.users.facts(id, mpid), user.facts(of: mpid) != told,
            let batch = self.maker.correction(of: mpid, user, on: number, id)
        else { return }
        try self.context.store.put(batch.record.encoded(), for: StateKey.batch(batch.record.id))
        self.hold(batch)
        try self.carried.written(batch.record)
    }
}
