// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The events and batches that wait for delivery, in memory and on disk: what the queue changes between two waits.
struct EventBacklog: Sendable {
    let context: RuntimeContext
    let users: any EventUsers
    let events: WaitingEvents
    let maker: BatchMaker
    let halving: BatchHalving
    let undoing: BatchUndoing
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
    var unreadable: UnreadableRows
    var anonymous: AnonymousEvents
    /// The numbers that can soon be forgotten, where replicas share the installations.
    var spent: SpentNumbers?
    var pauses: UploadPauses
    /// The error of the last attempt to read the journal; nil if it succeeded.
    private var readFailure: SignetError?
    var resets: InstallationResets
    var erased: ErasedEvents
    let carried: CarriedFacts
    /// The installations whose users' consents the platform does not have.
    var unsentConsents = UnsentConsents()
    var waits: EventWaits

    init(_ context: RuntimeContext, users: any EventUsers, settled: AsyncSignal) {
        let events = WaitingEvents(context, users: users, settled: settled)
        self.context = context
        self.users = users
        self.events = events
        self.maker = BatchMaker(context, users, events)
        self.halving = BatchHalving(context, self.maker)
        self.carried = CarriedFacts(context, users, events)
        self.undoing = BatchUndoing(context)
        self.waits = EventWaits(context, users)
        self.machine = UploadStateMachine(limits: context.configuration.uploadLimits, now: context.time.uptime)
        self.intake = EventIntake(context, users, events)
        self.unreadable = UnreadableRows(context)
        self.anonymous = AnonymousEvents(context, users, events)
        self.optOuts = OptOutDrops(context, users, events, self.undoing)
        self.aged = AgedEvents(context, events)
        self.answered = AnsweredBatches(context, users, events)
        self.deadLetters = DeadLetterStore(context)
        self.pauses = UploadPauses(context)
        self.resets = InstallationResets(context, events)
        self.erased = ErasedEvents(context, users)
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
        self.noteFacts()
        self.spent?.collect(self.machine.lines.takeEmptied())
        let reports = self.intake.takeReports()
        self.optedOut(reports.optOuts)
        self.resets.add(reports.resets)
        for installation in reports.resets { self.unsentConsents.remove(installation) }
        self.note(reports.unsentConsents)
        self.hastenConsents(of: reports.hastened)
        self.machine.setInterval(self.context.ingress.interval)
        do throws(SignetError) {
            if self.intake.isFresh { self.intake.begin(owned: try self.restore()) }
            try self.intake.readJournal(into: &self.machine)
            self.resets.takeOff(from: &self.machine, &self.held)
            try self.optOuts.takeOff(from: &self.machine, &self.held)
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

    /// Adds installations that have opted out here.
    ///
    /// A shared row says which events that withdraws, and is read again.
    private mutating func optedOut(_ installations: Set<UInt32>) {
        guard self.users.readsRows else { return self.optOuts.add(installations) }
        for installation in installations {
            self.held.outdate(installation)
            do throws(SignetError) {
                if let name = try self.events.name(of: installation) { self.users.forgetReading(name) }
            } catch {
                // A reading serves for half a second.
                self.context.reportDamage("The name of an installation cannot be read: \(error.message)")
            }
        }
    }

    /// Restores the pause, the batches and the opt-outs of an earlier process.
    ///
    /// - Returns: The events of these batches.
    private mutating func restore() throws(SignetError) -> Set<UInt64> {
        let pause = try self.pauses.read()
        try self.aged.vouchForClock()
        var owned: Set<UInt64> = []
        var restored = 0
        for record in try self.maker.storedBatches() {
            if self.held[record.id] == nil { self.hold(InFlightBatch(repeating: record)) }
            owned.formUnion(record.sequences.prefix(record.sequences.count))
            // The events of former dead letters are not in the journal, where the others were counted.
            if record.sequences.count == 0 { restored += record.events }
        }
        try self.optOuts.restore()
        self.context.statistics.record {
            $0.eventsRestored += restored
            $0.eventsResending += restored
        }
        self.pauses.restore(pause, into: &self.machine)
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
            size: record.size,
            hasFailed: record.hasFailed
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
        self.sendDueConsents()
    }

    // MARK: - Waiting for events

    /// Returns the first of some waits that is over, and makes the events of the waits before it due.
    ///
    /// - Returns: The index of the wait; nil if none is over.
    mutating func firstSettled(_ waits: [EventWaits.Wait]) -> Int? {
        let before = self.intake.last
        do throws(SignetError) {
            try self.takeIn()
            // New events may have made a batch full, or set a deadline.
            defer { if self.intake.last > before { self.context.ingress.wakeup.signal() } }
            return try self.waits.firstOver(waits, in: &self.machine)
        } catch {
            // The wait is checked again when the disk can be read.
            self.readFailure = error
            return nil
        }
    }
}
