// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// The events and batches that wait for delivery, in memory and on disk: what the queue changes between two waits.
struct EventBacklog: Sendable {
    let context: RuntimeContext
    let users: any EventUsers
    let events: WaitingEvents
    let maker: BatchMaker
    var machine: UploadStateMachine
    /// Batches that have no answer yet.
    var held = HeldBatches()
    var intake: EventIntake
    var optOuts: OptOutDrops
    var aged: AgedEvents
    var answered: AnsweredBatches
    var deadLetters: DeadLetterStore
    /// The rows to read, where replicas share the installations.
    var shared = SharedLooks()
    /// Installations whose rows cannot be read, as the observer knows.
    var unreadable: Set<UInt32> = []
    /// The last event that was logged before the rows were read: of a later one another row may be right.
    var lookedUpTo: UInt64 = 0
    /// The numbers that can soon be forgotten, where replicas share the installations.
    var spent: SpentNumbers?
    let storedPause: StoredPause
    /// The error of the last failed try to send.
    var lastFailure: SignetError?
    /// The error of the last attempt to read the journal; nil if it succeeded.
    private var readFailure: SignetError?
    /// Installations that were reset, until their events have gone from disk.
    var resets: Set<UInt32> = []
    /// A cache of the numbers of installations by name.
    var numbers: [InstallationID: UInt32] = [:]
    /// The number of events erased in batches to be sent again, since the last erasure began.
    var erasedResends = 0
    /// The events that the queue has forgotten, until the erasure of their users is done; see ``forget(_:)``.
    var erasedEvents: [MPID: Set<UInt64>] = [:]

    init(_ context: RuntimeContext, users: any EventUsers, settled: AsyncSignal) {
        let events = WaitingEvents(context, users: users, settled: settled)
        self.context = context
        self.users = users
        self.events = events
        self.maker = BatchMaker(context, users, events)
        self.machine = UploadStateMachine(limits: context.configuration.uploadLimits, now: context.time.uptime)
        self.intake = EventIntake(context, users, events)
        self.optOuts = OptOutDrops(context, users, events)
        self.aged = AgedEvents(context, events)
        self.answered = AnsweredBatches(context, events)
        self.deadLetters = DeadLetterStore(context)
        self.storedPause = StoredPause(context, key: StateKey.uploadPause, of: "uploads")
        guard context.fleet != nil else { return }
        self.spent = SpentNumbers(context)
        self.machine.lines.noteEmptied()
    }

    var now: Duration {
        self.context.time.uptime
    }

    // MARK: - Taking in

    /// Reads new events of the journal, the first time also the data of an earlier process.
    ///
    /// - Throws: An error if the journal could not be read to its end.
    mutating func takeIn() throws(SignetError) {
        self.spent?.collect(self.machine.lines.takeEmptied())
        let reports = self.intake.takeReports()
        self.optOuts.add(reports.optOuts)
        self.resets.formUnion(reports.resets)
        self.machine.setInterval(self.context.ingress.interval)
        do throws(SignetError) {
            if self.intake.isFresh { self.intake.begin(owned: try self.restore()) }
            try self.intake.readJournal(into: &self.machine)
            self.takeOffReset()
            try self.optOuts.takeOff(from: &self.machine)
        } catch {
            self.context.reportDamage("The disk cannot be read. Delivery continues when it works: \(error.message)")
            self.readFailure = error
            throw error
        }
        // Callers that asked meanwhile for settled events got no answer.
        if self.readFailure.take() != nil { self.events.settled.signal() }
        self.optOuts.drop()
        self.intake.finish(&self.machine)
        self.letGo()
        self.forgetNumbers()
    }

    /// Restores the pause, the batches and the opt-outs of an earlier process.
    ///
    /// - Returns: The events of these batches.
    private mutating func restore() throws(SignetError) -> Set<UInt64> {
        let pause = try self.storedPause.read()
        try self.aged.vouchForClock()
        var owned: Set<UInt64> = []
        var restored = 0
        for record in try self.maker.storedBatches() {
            if self.held[record.id] == nil { self.hold(InFlightBatch(repeating: record)) }
            owned.formUnion(record.sequences.prefix(record.sequences.count))
            // The events of former dead letters are not in the journal, where the others were counted.
            if record.sequences.count == 0 { restored += record.events }
            // The process may have been killed before the reported removals were forgotten; forget them now.
            try self.carried(record)
        }
        try self.optOuts.restore()
        self.context.statistics.record {
            $0.eventsRestored += restored
            $0.eventsResending += restored
        }
        if let pause {
            self.machine.failures = pause.failures
            if pause.length > .zero { self.machine.pause(until: self.now + pause.length, pause.reason) }
        }
        return owned
    }

    /// Queues a written batch to be sent.
    mutating func hold(_ batch: InFlightBatch) {
        let record = batch.record
        self.held.hold(batch)
        self.machine.restore(
            record.id,
            of: record.installation,
            record.mpid,
            first: record.sequences.first ?? 0,
            events: record.events,
            size: record.size
        )
    }

    /// Removes events from the journal that made room for others.
    private mutating func letGo() {
        guard !self.machine.dropped.isEmpty else { return }
        do throws(SignetError) {
            try self.events.acknowledge(self.machine.dropped, of: self.machine.droppedOf.sorted())
            self.context.dropped(self.machine.dropped.count, .limit)
            self.machine.dropped = []
            self.machine.droppedOf = []
        } catch {
            // They are given up all the same; removal is tried again with the next events.
            self.context.reportDamage("Events beyond a limit could not be removed from disk: \(error.message)")
        }
    }

    // MARK: - Now and then

    /// Tries again what the disk refused, and drops what is too old.
    mutating func tidy() {
        if let deadline = self.answered.deadline, deadline <= self.now { self.answered.settleAgain() }
        self.aged.drop(from: &self.machine)
    }

    // MARK: - Waiting for events

    /// Returns the first of some waits that is over, and makes the events of the waits before it due.
    ///
    /// - Parameter waits: Each waits until the events of these users on one installation, up to a number, are settled.
    /// - Returns: The index of the wait; nil if none is over.
    mutating func firstSettled(
        _ waits: [(installation: InstallationID, mpids: [MPID], sequence: UInt64)]
    ) -> Int? {
        let before = self.intake.last
        do throws(SignetError) {
            try self.takeIn()
            // New events may have made a batch full, or set a deadline.
            defer { if self.intake.last > before { self.context.ingress.wakeup.signal() } }
            for (index, wait) in waits.enumerated() {
                guard let number = try self.number(of: wait.installation) else { return index }
                if !self.machine.isOnItsWay(number, wait.mpids, upTo: wait.sequence) { return index }
                if self.machine.expedite(number, upTo: wait.sequence) { self.context.ingress.wakeup.signal() }
            }
        } catch {
            // The wait is checked again when the disk can be read.
            self.readFailure = error
        }
        return nil
    }

    private mutating func number(of installation: InstallationID) throws(SignetError) -> UInt32? {
        if let known = self.numbers[installation] { return known }
        guard let number = try self.users.number(installation) else { return nil }
        // A replica forgets numbers, and has them in memory anyway.
        guard !self.users.readsRows else { return number }
        if self.numbers.count >= 10_000 { self.numbers = [:] }
        self.numbers[installation] = number
        return number
    }

    // MARK: - Pauses

    /// The current pause, as an error for callers that want to upload; nil if there is none.
    var pause: SignetError? {
        guard let until = self.machine.pausedUntil, until > self.now else {
            let count = self.machine.setAsideCount
            return count > 0 ? .rowsUnreadable(count, because: self.lastFailure) : nil
        }
        return .uploadPaused(self.machine.pauseReason, remaining: until - self.now, because: self.lastFailure)
    }

    /// Writes a pause down, so that a restart does not end it.
    func storePause() {
        guard let until = self.machine.pausedUntil, let reason = self.machine.pauseReason else { return }
        self.storedPause.write(UploadPause(reason, until - self.now, failures: self.machine.failures))
    }

    /// Ends the stored pause after the platform has accepted batches again.
    ///
    /// A pause that another answer has begun meanwhile continues, also after a restart.
    mutating func forgetPause() {
        guard !self.machine.isPaused(now: self.now) else { return }
        self.lastFailure = nil
        self.storedPause.remove()
    }
}

extension SignetError {
    fileprivate static func rowsUnreadable(_ count: Int, because cause: SignetError?) -> SignetError {
        SignetError(
            .uploadPaused,
            "The rows of \(count) installations in the shared store cannot be read. Their events stay on disk, all others go on.",
            cause: cause
        )
    }

    fileprivate static func uploadPaused(
        _ reason: UploadPause.Reason?,
        remaining: Duration,
        because cause: SignetError?
    ) -> SignetError {
        let what =
            switch reason {
            case .unauthorized:
                "The platform does not accept the API key or the secret. Correct them and call resumeUploads()."
            case .misdirected:
                "The server is not the platform, or takes no compressed events. Correct this and call resumeUploads()."
            case .asked: "The platform asked for the pause."
            case .disk: "The disk cannot be written or read."
            case .store: "The shared store is not reached."
            case .failure, nil: "The last upload failed."
            }
        return SignetError(
            .uploadPaused,
            "Uploads pause for another \(remaining.milliseconds / 1000) s; all events stay on disk. \(what)",
            httpStatus: cause?.httpStatus,
            retryAfter: remaining,
            cause: cause
        )
    }
}
