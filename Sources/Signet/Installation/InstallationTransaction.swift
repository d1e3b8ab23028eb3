// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// The facts of the moment at which a transaction decides.
struct InstallationMoment: Sendable {
    let now: SessionTimestamp
    /// The time that a session lives without an event.
    let timeout: Duration
    /// The number of the configured context; see ``BatchContexts``.
    let context: UInt16
    /// Makes the id of a new session.
    let newSessionID: @Sendable () -> UUID
    /// The times at which the clock of a shared store went ahead.
    var jumps = ClockJumps()
    /// The time that a change may wait for events to be sent with.
    var uploadInterval = Duration.seconds(600)
    /// The time after which events that wait are dropped, and what goes with their batches is not brought any more.
    var eventAge = Duration.seconds(90 * 86_400)
    /// The facts of users that batches carry.
    var userFacts = SignetConfiguration.Events.UserFacts.changes
}

/// The writes of one transaction of an installation, in order, and what follows them.
///
/// It has steps: a step's state holds once its writes are done. If the disk refuses a write, the transaction ends there: the state
/// of the last full step stands, as what the disk has taken cannot be taken back.
struct InstallationTransaction {
    /// One write.
    enum Write: Sendable {
        case put([UInt8], for: [UInt8])
        /// The users, for the installation's record; where a shared row has them, the commit writes them.
        case identity(IdentityState)
        case remove([UInt8])
        /// An event for the journal.
        case event(EventFrame)
        /// The session record. The store adds the last event that it contains; if the disk refuses it, that is reported only.
        case session(SessionRecord, at: SessionTimestamp?)
        /// The same, but the step needs it.
        case requiredSession(SessionRecord, at: SessionTimestamp?)
        /// The choice of a context; see ``InstallationContexts``.
        case chooseContext(UInt32)
    }

    /// An effect of a step.
    enum Effect: Sendable {
        // Under the lock, so that they keep their order.
        case userChange(previous: User?, current: User?)
        case sessionChange(SessionChange)
        case alias(AliasRecord)
        case aliasesOptedOut(upTo: UInt64)
        case reset(InstallationReset)
        // After it.
        case watch(until: Duration)
        case optedOut
        /// The events logged without a user, up to this one, are this user's.
        case attributed(MPID, upTo: UInt64)
        case superseded(OutboxEntry)
    }

    /// The meaning of a refused write.
    enum Refusal: Sendable {
        /// The call fails.
        case fails
        /// The step stands all the same, because it has happened; the refusal is reported.
        case isReported
        /// An event that Signet logs itself is lost, which is counted.
        case losesEvent
        /// Nothing: later records or events contain the same.
        case isIgnored
    }

    struct Step: Sendable {
        var writes: [Write] = []
        var effects: [Effect] = []
        var refusal = Refusal.fails
        /// The installation once the writes are done.
        var after: InstallationMachine
    }

    /// The reach of a transaction.
    enum Scope: Sendable {
        /// The installation is this process's alone.
        case alone
        /// The installation has a shared row with this key.
        ///
        /// If the transaction decides, it begins and ends sessions for all replicas. Otherwise it only sees that one is over; of a row
        /// that was not read it sees no session.
        case shared(key: UUID, decides: Bool, isRead: Bool)

        /// True if the transaction begins and ends sessions with their events.
        var decides: Bool {
            if case .shared(_, let decides, _) = self { decides } else { true }
        }

        /// The key of the shared row; nil if there is none.
        var key: UUID? {
            if case .shared(let key, _, _) = self { key } else { nil }
        }

        /// False if there is a shared row, and it was not read.
        var isRead: Bool {
            if case .shared(_, _, let isRead) = self { isRead } else { true }
        }
    }

    let id: InstallationID
    let moment: InstallationMoment
    let scope: Scope
    /// Reads what the disk has of the installation.
    let records: InstallationRecords
    /// The journal's frames of the installation.
    var frames: InstallationFrames
    private(set) var steps: [Step] = []
    /// An error of a read without which the change stands; to be reported.
    private(set) var problem: SignetError?
    /// The sessions that end, for the outbox of a shared row.
    private(set) var sessionEnds: [SharedOutbox.End] = []
    /// The opt-out, or the end of one, for the outbox of a shared row.
    private(set) var optOut: SharedOutbox.OptOut?
    /// The entries of the shared row's outbox whose events are logged, so that it need not keep them.
    private(set) var loggedEntries: Set<UUID> = []
    /// The entries of that outbox that this process takes over.
    private(set) var takenEntries: Set<UUID> = []
    /// The outbox of the shared row before the transaction.
    var sharedOutbox = SharedOutbox()
    /// The latest consents of the shared row's users.
    var sharedConsents = KnownConsents()
    /// The entries of that outbox by the ids of the events that settle them.
    private var outboxEvents: [UUID: UUID] = [:]
    /// The users whom the shared row forgets, beside what the machine knows of them.
    private(set) var forgotten: Set<MPID> = []
    /// True if the shared row is made, also if there is nothing to keep in it.
    private(set) var needsRow = false
    /// True if a commit whose outcome is unknown is not sent again: the caller goes on without the change.
    private(set) var isSentOnce = false
    /// The number of users who leave the record of the users.
    private(set) var usersDropped = 0
    /// The moment at which a replica must look at the shared row; nil if it follows from the rest.
    private(set) var look: SharedCommit.Change<Int64?> = .keep
    private var writes: [Write] = []
    private var effects: [Effect] = []

    init(
        id: InstallationID,
        moment: InstallationMoment,
        scope: Scope = .alone,
        records: InstallationRecords,
        frames: InstallationFrames
    ) {
        (self.id, self.moment, self.scope, self.records, self.frames) = (id, moment, scope, records, frames)
    }

    /// True if a step has an event.
    var hasEvents: Bool {
        self.steps.contains { step in
            step.writes.contains { if case .event = $0 { true } else { false } }
        }
    }

    /// Notes the end of a session, whose event has this id.
    mutating func note(_ end: SharedOutbox.End, event: UUID) {
        self.sessionEnds.append(end)
        self.outboxEvents[event] = end.totals.session.uuid
    }

    /// Notes an opt-out, or the end of one.
    mutating func note(_ optOut: SharedOutbox.OptOut) {
        self.optOut = optOut
        self.outboxEvents[optOut.id] = optOut.id
    }

    /// Takes an entry of the shared row's outbox over: this process logs its event, which has this id.
    mutating func takeOver(_ entry: UUID, event: UUID) {
        self.takenEntries.insert(entry)
        self.outboxEvents[event] = entry
    }

    /// Removes entries from the outbox of the shared row.
    mutating func removeFromOutbox(_ entries: Set<UUID>) {
        self.loggedEntries.formUnion(entries)
    }

    /// The entries of the shared row's outbox whose events a step writes.
    func entries(of step: Step) -> Set<UUID> {
        guard !self.outboxEvents.isEmpty else { return [] }
        return step.writes.reduce(into: []) { found, write in
            guard case .event(let frame) = write else { return }
            if let entry = self.outboxEvents[frame.stamp.timestamp.messageID] { found.insert(entry) }
        }
    }

    /// Forgets a user in the shared row, its outbox included.
    mutating func forget(_ mpid: MPID) {
        self.forgotten.insert(mpid)
    }

    /// Makes the shared row if there is none.
    mutating func makeRow() {
        self.needsRow = true
    }

    /// Lets a commit whose outcome is unknown be: a later call makes the change.
    mutating func sendOnce() {
        self.isSentOnce = true
    }

    /// Sets the moment at which a replica must look at the shared row.
    mutating func setLook(_ moment: Int64?) {
        self.look = .set(moment)
    }

    /// Notes that users leave the record of the users, which is full.
    mutating func dropUsers(_ count: Int) {
        self.usersDropped += count
    }

    /// Adds a write to the step.
    mutating func write(_ write: Write) {
        // The begin or the end of a session has two, and writes are large.
        if self.writes.isEmpty { self.writes.reserveCapacity(2) }
        self.writes.append(write)
    }

    /// Adds an effect to the step.
    mutating func add(_ effect: Effect) {
        if self.effects.isEmpty { self.effects.reserveCapacity(2) }
        self.effects.append(effect)
    }

    /// Notes an error without which the change stands, and drops the writes of the step so far.
    mutating func report(_ error: SignetError) {
        self.problem = self.problem ?? error
        self.writes = []
    }

    /// Changes all steps.
    mutating func changeSteps(_ change: (inout Step) -> Void) {
        for index in self.steps.indices { change(&self.steps[index]) }
    }

    /// Adds the session record to the step.
    ///
    /// - Parameters:
    ///   - machine: The installation.
    ///   - isRequired: True if the step fails without it.
    mutating func saveSession(of machine: InstallationMachine, isRequired: Bool = false) {
        let record = machine.session.record
        let moment = machine.sessions.lastMoment
        self.write(isRequired ? .requiredSession(record, at: moment) : .session(record, at: moment))
    }

    /// Ends the step.
    ///
    /// - Parameters:
    ///   - machine: The installation once the writes are done.
    ///   - refusal: The meaning of a refused write.
    mutating func step(_ machine: inout InstallationMachine, ifRefused refusal: Refusal = .fails) {
        machine.watch(&self)
        self.add(machine, ifRefused: refusal)
    }

    /// Ends the last step.
    ///
    /// - Parameter machine: The installation once all is done.
    mutating func finish(_ machine: consuming InstallationMachine) {
        machine.watch(&self)
        self.add(machine, ifRefused: .fails)
    }

    private mutating func add(_ machine: consuming InstallationMachine, ifRefused refusal: Refusal) {
        // Without writes and effects it holds if the step before does. A shared store looks at each state.
        if case .alone = self.scope, self.writes.isEmpty, self.effects.isEmpty, let last = self.steps.indices.last {
            self.steps[last].after = machine
            return
        }
        self.steps.append(Step(writes: self.writes, effects: self.effects, refusal: refusal, after: machine))
        (self.writes, self.effects) = ([], [])
    }

    /// Takes the steps out, the last one first.
    mutating func takeReversedSteps() -> [Step] {
        defer { self.steps = [] }
        self.steps.reverse()
        return self.steps
    }
}

/// The frames that an installation has in the journal, as far as its session record must know.
struct InstallationFrames: Sendable {
    /// The last frame.
    private(set) var last: UInt64
    /// The last frame that the session record contains.
    private var folded: UInt64 = 0
    /// The difference between wall clock and uptime when the record was written, in milliseconds.
    private var offset: Int64 = 0
    /// The uptime at which the difference was last checked.
    private var checkedAt = Duration.zero
    /// The number of frames that went to memory, as the disk refused them.
    private(set) var inMemory = 0

    /// The frames before the installation's first; they count as its own, which is harmless.
    init(last: UInt64) {
        self.last = last
    }

    /// The frames of an installation whose session is in a shared row: no record of it is ever due.
    static func withoutRecord(last: UInt64) -> InstallationFrames {
        var frames = InstallationFrames(last: last)
        frames.checkedAt = .seconds(Int64.max)
        return frames
    }

    /// The tolerance for a difference between the clocks, in milliseconds.
    private static let tolerance: UInt64 = 100

    /// Counts a frame; 0 is one in memory, which the disk has refused.
    @inline(__always)
    mutating func note(_ sequence: UInt64) {
        if sequence > self.last { self.last = sequence } else if sequence == 0 { self.inMemory += 1 }
    }

    /// True if the session record must be written: the lengths of the journal's events would be wrong after a restart.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - hasFrame: False if something happened that no frame contains.
    /// - Returns: True if it must be written now.
    mutating func isRecordDue(at now: SessionTimestamp, hasFrame: Bool = true) -> Bool {
        guard now.uptime - self.checkedAt >= .seconds(1) else { return false }
        let current = now.milliseconds &- now.uptime.milliseconds
        let (drift, overflow) = current.subtractingReportingOverflow(self.offset)
        guard hasFrame, !overflow, drift.magnitude <= Self.tolerance else { return true }
        self.checkedAt = now.uptime
        return false
    }

    /// Takes over the checks that a transaction made.
    mutating func checked(as other: InstallationFrames) {
        self.checkedAt = other.checkedAt
    }

    /// Notes a written session record, with the time of the session's last event.
    mutating func recorded(_ last: SessionTimestamp?) {
        self.folded = self.last
        guard let last else { return }
        self.offset = last.milliseconds &- last.uptime.milliseconds
    }

    /// True if the session record lacks frames.
    var areUnfolded: Bool {
        self.folded < self.last
    }
}
