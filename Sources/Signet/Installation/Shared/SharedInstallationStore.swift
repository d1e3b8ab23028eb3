// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// The store of an installation whose row several processes share.
///
/// It keeps what this process last read. `log` decides on that alone, in memory. A change of the row is applied to a copy, sent with the
/// tag of the row that it was made on, and applied here once the store has taken it; if another process was first, it is applied to the
/// newer row again.
final class SharedInstallationStore: InstallationStore {
    struct State {
        var machine: InstallationMachine
        var frames: InstallationFrames
        /// The number of its events here; nil before the first one.
        private(set) var lease: InstallationNumbers.Lease?
        /// The context that its events carry; nil for none.
        var context: InstallationContexts.Hold?
        var row = KnownRow()
        /// The latest consents of its users.
        var consents = KnownConsents()
        /// The stamp that a new row gets.
        var stamp: UUID
        var activity = UntoldActivity()
        /// The identify that the runtime owes to its events without a user.
        var wish = IdentifyWish()
        /// True while it is among the stores to flush.
        private var isEntered = false
        /// Entries of the outbox whose events this process has logged, and that are still there.
        var logged: Set<UUID> = []
        /// Commits of an identity call that the store may have taken.
        var doubtful: Doubtful?

        init(_ machine: InstallationMachine, last: UInt64, _ lease: InstallationNumbers.Lease?) {
            self.machine = machine
            self.frames = .withoutRecord(last: last)
            self.stamp = machine.state.deviceApplicationStamp
            self.setLease(lease)
        }

        /// Notes that it is among the stores to flush.
        ///
        /// - Returns: False if it was there before.
        @inline(__always)
        mutating func enter() -> Bool {
            guard !self.isEntered else { return false }
            self.isEntered = true
            return true
        }

        /// Notes that a flush has taken it from these stores, and takes its activity.
        mutating func leaveForFlush() -> [LocalActivity] {
            self.isEntered = false
            return self.activity.take()
        }

        /// Gives it a number, or takes it.
        mutating func setLease(_ lease: InstallationNumbers.Lease?) {
            self.lease = lease
            self.machine.state.number = lease?.number ?? 0
        }
    }

    /// The commits of one identity call whose answers were lost.
    struct Doubtful {
        let slot: UUID
        var tags: Set<UUID> = []
        /// The tag on which the last of them was made; nil if there was no row.
        var base: UUID?
    }

    /// A transaction on a copy.
    struct Draft<Value> {
        let value: Value
        let transaction: InstallationTransaction
        let before: InstallationMachine
        let base: SharedChange.Base
        /// The number of its events.
        let lease: InstallationNumbers.Lease?
        /// The events of a session that this process has begun and not told: the transaction begins it for all.
        let begun: LocalActivity?
        /// The activity that a transaction with an end or a begin knows of.
        ///
        /// Empty for others: an event copies no array.
        let activity: UntoldActivity
    }

    /// The number of times that a change is tried against other processes.
    static let tries = 8

    let key: UUID
    let writer: InstallationWriter
    let fleet: FleetMember
    let unflushed: UnflushedStores
    /// True if it was made for a row, not for handles: it never makes one.
    let needsRow: Bool
    let state: Locked<State>
    /// One commit of this process at a time: only other processes can be first.
    let turn = AsyncSemaphore(places: 1)

    /// Makes the store of an installation that was not read yet.
    init(
        _ machine: InstallationMachine,
        writer: InstallationWriter,
        fleet: FleetMember,
        unflushed: UnflushedStores,
        needsRow: Bool = false
    ) {
        self.needsRow = needsRow
        self.key = SharedIDs.key(of: Array(writer.id.rawValue.utf8))
        (self.writer, self.fleet, self.unflushed) = (writer, fleet, unflushed)
        let context = writer.context
        self.state = Locked(State(machine, last: context.journal.lastSequence, context.numbers.leaseKnown(writer.id)))
    }

    deinit {
        self.state.withLock { $0.setLease(nil) }
        self.writer.context.numbers.wakeIfMany()
    }

    // MARK: - In memory

    func read<Value>(_ body: (borrowing InstallationMachine) -> Value) -> Value {
        self.state.withLock { body($0.machine) }
    }

    func update<Value>(_ body: (inout InstallationMachine) -> Value) -> Value {
        self.state.withLock { body(&$0.machine) }
    }

    var shared: SharedInstallationStore? { self }

    /// False: a session's facts are in the row.
    var needsFold: Bool { false }

    /// True if there was a row when it was last read.
    var hasRow: Bool {
        self.state.withLock { $0.row.tag != nil }
    }

    /// True if the row was read at all.
    var isRead: Bool {
        self.state.withLock { $0.row.isRead }
    }

    /// The tag of the row as it was last read.
    var tag: UUID? {
        self.state.withLock { $0.row.tag }
    }

    /// The session that was open in the row as it was last read.
    var openSession: UUID? {
        self.state.withLock { $0.row.base.session?.id }
    }

    /// The outbox of the row as it was last read.
    var outbox: SharedOutbox {
        self.state.withLock { $0.row.base.outbox }
    }

    func append(
        _ kind: EventKind,
        _ json: UnsafeRawBufferPointer,
        _ urgency: EventMetadata.Urgency
    ) throws(SignetError) -> UInt64? {
        try self.state.withLock { state throws(SignetError) -> UInt64? in
            guard state.machine.state.number != 0, !self.isUnread(state) else { return nil }
            self.announce(&state)
            let sequence = try self.writer.append(kind, json, urgency, &state.machine, &state.frames)
            if sequence != nil, let active = state.machine.sessions.active {
                _ = state.activity.note(1, in: active.session, at: active.last.milliseconds)
            }
            return sequence
        }
    }

    /// Enters the store among those to flush, before an event gets its stamp.
    ///
    /// A flush reads the clock, then takes the stores. One that was entered before a stamp is taken by each flush that claims the
    /// stamp's moment, and the flush waits for the lock under which the event is noted.
    @inline(__always)
    private func announce(_ state: inout State) {
        if state.enter() { self.unflushed.insert(self) }
    }

    /// Enters the store among those to flush.
    func enter() {
        // Under the lock: an event that finds the store entered is told by the next flush.
        self.state.withLock { state in self.announce(&state) }
    }

    func transact<Value>(
        _ body: (inout InstallationMachine, inout InstallationTransaction) throws(SignetError) -> Value
    ) throws(SignetError) -> InstallationCommit<Value> {
        var isFirst = false
        var commit: InstallationCommit<Value>?
        // Also if an event is refused: the handle hears of an opt-in elsewhere.
        defer { if isFirst { self.enter() } }
        try self.state.withLock { state throws(SignetError) in
            self.announce(&state)
            let isUnread = self.isUnread(state)
            // A row that another process has made has a stamp that is not known here before it is read.
            let stamp = state.row.tag == nil ? nil : state.machine.state.deviceApplicationStamp
            do throws(SignetError) {
                let draft = try self.draft(&state, decides: false, isUnread: isUnread, stamp: stamp, body)
                commit = self.carryOut(draft.transaction, draft.value, &state, &isFirst)
                guard isUnread, draft.transaction.hasEvents else { return }
                if state.row.logged() { isFirst = true }
            } catch {
                if error.code == .optedOut, state.row.refused() { isFirst = true }
                throw error
            }
        }
        // Set above, or an error was thrown.
        guard let commit else { throw .closed }
        return commit
    }

    /// Runs a transaction on a copy; one with events is run again once the installation has a number.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - decides: True if it begins and ends sessions for all replicas.
    ///   - isUnread: True if its events belong to the user of their moment by a later reading of the row.
    ///   - stamp: The stamp of the row that its events belong to; nil if unknown.
    ///   - others: The activity that other objects of the installation have not told.
    ///   - body: The transaction.
    /// - Returns: The value of the transaction, and its effects.
    /// - Throws: Its error; the error of the disk.
    func draft<Value>(
        _ state: inout State,
        decides: Bool,
        isUnread: Bool = false,
        stamp: UUID?,
        others: [LocalActivity] = [],
        _ body: (inout InstallationMachine, inout InstallationTransaction) throws(SignetError) -> Value
    ) throws(SignetError) -> Draft<Value> {
        self.fitNumber(&state, to: stamp)
        while true {
            let base = state.row.base
            var machine = state.machine
            let moment = self.moment(of: machine)
            if decides {
                let part = machine.shared.value
                let row = (self.key, machine.state.deviceApplicationStamp)
                // The row that is known may be of any question before now.
                let flushed = self.unflushed.flushed(self.key, since: .zero)
                let activity = state.activity.missing(and: others + flushed)
                machine.session.adopt(base.session, part, activity, row, at: moment, isStrict: true)
            }
            let before = machine
            var transaction = InstallationTransaction(
                id: self.writer.id,
                moment: decides ? self.moment(of: machine) : moment,
                scope: .shared(key: self.key, decides: decides, isRead: state.row.isRead && !isUnread),
                records: InstallationRecords(id: self.writer.id, context: self.writer.context),
                frames: state.frames
            )
            transaction.sharedOutbox = base.outbox
            transaction.sharedConsents = state.consents
            let begun = decides ? machine.begin(oneOf: state.activity.all, self.key, &transaction) : nil
            let value = try body(&machine, &transaction)
            transaction.step(&machine)
            guard transaction.hasEvents, state.machine.state.number == 0 else {
                return Draft(
                    value: value,
                    transaction: transaction,
                    before: before,
                    base: base,
                    lease: state.lease,
                    begun: begun,
                    activity: decides ? state.activity : UntoldActivity()
                )
            }
            let isMissing = base.tag == nil && state.row.isRead
            let (id, numbers) = (self.writer.id, self.writer.context.numbers)
            state.setLease(try numbers.lease(id, stamp: stamp, isMissing: isMissing, wish: state.wish))
        }
    }

    /// Lets the number go if its events belong to another row: what is logged from now on gets a number of this one.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - stamp: The stamp of the row; nil if unknown.
    func fitNumber(_ state: inout State, to stamp: UUID?) {
        guard let stamp, let lease = state.lease, lease.stamp != stamp else { return }
        guard lease.stamp == nil else { return state.setLease(nil) }
        // Given before the row was read: its record learns the stamp now.
        do throws(SignetError) {
            state.setLease(try self.writer.context.numbers.lease(self.writer.id, stamp: stamp, wish: state.wish))
        } catch {
            self.writer.context.reportNotSaved(self.writer.id, error)
        }
    }

    /// Gives it a number, as its first event does.
    ///
    /// - Throws: The error of the disk.
    func durableNumber() throws(SignetError) -> UInt32 {
        try self.durableLease().number
    }

    /// The same; the number is not forgotten while the lease lives.
    ///
    /// - Throws: The error of the disk.
    func durableLease() throws(SignetError) -> InstallationNumbers.Lease {
        try self.state.withLock { state throws(SignetError) in
            if let lease = state.lease { return lease }
            let stamp = state.row.tag == nil ? nil : state.machine.state.deviceApplicationStamp
            let lease = try self.writer.context.numbers.lease(self.writer.id, stamp: stamp, wish: state.wish)
            state.setLease(lease)
            return lease
        }
    }

    /// The moment of a transaction: a new session's id follows from the one before, so that each process finds the same.
    func moment(of machine: InstallationMachine) -> InstallationMoment {
        let context = self.writer.context
        let before =
            machine.sessions.current?.uuid ?? machine.sessions.previous?.uuid ?? machine.state.deviceApplicationStamp
        let key = self.key
        return InstallationMoment(
            now: SessionTimestamp(context.time),
            timeout: context.sessionTimeout,
            context: context.contexts.current,
            newSessionID: { SharedIDs.session(after: before, of: key) },
            jumps: self.fleet.clock.jumps,
            uploadInterval: context.ingress.interval,
            userFacts: context.configuration.events.userFacts
        )
    }

    func carryOut<Value>(
        _ transaction: InstallationTransaction,
        _ value: Value,
        _ state: inout State,
        _ isFirst: inout Bool
    ) -> InstallationCommit<Value> {
        for step in transaction.steps {
            guard let (session, events) = step.untold else { continue }
            if state.activity.note(events, in: session, at: transaction.moment.now.milliseconds) { isFirst = true }
        }
        let commit = self.writer.commit(transaction, value, &state.machine, &state.frames)
        state.setLease(state.lease)
        let own = state.machine.own
        if own != state.context?.number ?? 0 {
            state.context = own == 0 ? nil : self.writer.context.ownContexts.hold(own)
        }
        return commit
    }

    /// Takes the activity that the store was not told of.
    func takeActivity() -> [LocalActivity] {
        self.state.withLock { $0.leaveForFlush() }
    }

    /// The activity that a reading may lack.
    var missingActivity: [LocalActivity] {
        self.state.withLock { $0.activity.missing() }
    }

    /// True if a flush has taken activity, and has no answer.
    var hasActivityInFlight: Bool {
        self.state.withLock { !$0.activity.inFlight.isEmpty }
    }

    /// Notes that a flush has an answer for activity.
    ///
    /// - Returns: True if no activity is in flight any more.
    func answered(_ activity: LocalActivity) -> Bool {
        self.state.withLock { state in
            state.activity.answered(activity)
            return state.activity.inFlight.isEmpty
        }
    }

    /// Takes the number of events of a session that its end has counted while a flush had them.
    func takeCounted(in session: UUID, upTo limit: Int) -> Int {
        self.state.withLock { $0.activity.takeCounted(in: session, upTo: limit) }
    }

    /// Takes back what a flush could not tell: an end that is drafted from now on counts it, or the next flush tells it.
    func giveBack(_ activity: LocalActivity) {
        self.state.withLock { $0.activity.giveBack(activity) }
        self.enter()
    }

    /// Sets the moment at which a replica must look at the row.
    nonisolated(nonsending) func setLook(_ moment: Int64?) async throws(SignetError) {
        _ = try await self.commit(fencedBy: nil, decides: false, confirms: false) { _, transaction in
            transaction.setLook(moment)
        }
    }
}
