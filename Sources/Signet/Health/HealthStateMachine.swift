// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.Date

/// Decides what is wrong with a runtime, and since when.
///
/// Reports come when something happens; a review has the facts that no report brings. Each trouble is a part of its own:
///
/// ```
/// fine --refused, failed, paused--> trouble --accepted, answered, delivered, or its time is over--> fine
/// ```
struct HealthStateMachine: Sendable {
    /// A moment on both clocks.
    struct Moment: Sendable, Hashable {
        let uptime: Duration
        /// The wall clock of the machine, in milliseconds since 1970.
        let milliseconds: Int64
    }

    /// The facts of a review.
    struct Facts: Sendable, Hashable {
        /// The stage of the runtime.
        var stage: LifecycleStateMachine.Stage
        /// Events that the journal has accepted so far.
        var appended: Int
        /// Events in memory, as the disk refused them.
        var inMemory = 0
        /// Bytes of events that wait.
        var liveBytes: UInt64 = 0
        /// The most bytes of them; nil for no limit.
        var limitBytes: UInt64?
        /// Work that should have been done, by kind.
        var overdue: [Overdue] = []
        /// The troubles that make calls fail, by the configuration.
        var failures: Failures = [.fullStorage, .unreachableStore]
    }

    /// Work of one kind that should have been done.
    struct Overdue: Sendable, Hashable {
        let kind: String
        /// The installations with work of this kind.
        let count: Int
        /// The uptime at which it was due.
        let since: Duration
        /// The code of the last failure.
        let code: SignetError.Code?
    }

    /// Troubles that make calls fail.
    struct Failures: OptionSet, Sendable, Hashable {
        let rawValue: UInt8

        /// Events beyond the limit are refused; without it, the oldest are dropped.
        static let fullStorage = Failures(rawValue: 1)
        /// Opens need the shared store; without it, events are logged meanwhile.
        static let unreachableStore = Failures(rawValue: 2)
    }

    /// A pause of uploads.
    struct Pause: Sendable, Hashable {
        /// Its end, as uptime.
        let end: Duration
        let httpStatus: Int?
        let code: SignetError.Code
    }

    /// Refusals of the identity endpoint with none accepted in between.
    private struct IdentityRefusals: Sendable {
        let since: Moment
        var code: SignetError.Code
        var httpStatus: Int?
        /// The installations, up to ``HealthStateMachine/refusedInstallations``.
        var installations: Set<InstallationID>
    }

    private struct Refusal: Sendable {
        let since: Moment
        var code: SignetError.Code
        /// The events that the journal had accepted at the last refusal: one more, and the disk works.
        var appended: Int
    }

    private struct Trouble<Facts: Sendable>: Sendable {
        let since: Moment
        var facts: Facts
        /// The uptime of the last report.
        var last: Duration
    }

    /// The time that an event of the past counts: a loss, or a jump of the clock.
    static let memory = Duration.seconds(600)
    /// The time after a pause in which the next try must have an answer.
    static let grace = Duration.seconds(60)
    /// The time between two failures of the store after which it is away: one broken connection fails many calls at once.
    static let storeRepetition = Duration.seconds(1)
    /// The time since a failure of the store after which it is away without a second one, if it answers nothing else.
    static let storePatience = Duration.seconds(5)
    /// The time after which a failure of one kind of calls is over, if the store answers others.
    static let storeMemory = Duration.seconds(60)
    /// The number of installations that the identity endpoint refuses until that is no matter of one of them.
    static let refusedInstallations = 3
    /// The time after which due work is overdue.
    static let dueWorkPatience = Duration.seconds(60)
    /// The change of the wall clock against uptime above which it was set, in milliseconds.
    static let jump: Int64 = 5000

    private var disk: Refusal?
    private var pause: Trouble<Pause>?
    private var store: [HealthReason.StoreCalls: Trouble<SignetError.Code>] = [:]
    /// The uptime of the store's last answer.
    private var storeAnswer = Duration.zero
    private var identity: IdentityRefusals?
    private var loss: Trouble<Int>?
    private var offset: Trouble<Duration>?
    private var jumped: Trouble<Duration>?
    private var storage: (since: Moment, isFull: Bool)?
    /// The storage has refused an event, and had no room since.
    private var hasRefused = false
    /// The wall clock at the uptime of zero, as the last review saw it.
    private var difference: Int64?

    // MARK: - Reports

    /// The disk has refused to write.
    mutating func diskRefused(_ code: SignetError.Code, appended: Int, at moment: Moment) {
        guard self.disk != nil else {
            self.disk = Refusal(since: moment, code: code, appended: appended)
            return
        }
        self.disk?.code = code
        self.disk?.appended = appended
    }

    /// The disk has accepted what it refused.
    mutating func diskAccepted() {
        self.disk = nil
    }

    /// There was no room for an event.
    mutating func storageRefused() {
        self.hasRefused = true
    }

    /// Uploads pause, or go on to.
    mutating func uploadsPaused(_ pause: Pause, at moment: Moment) {
        // A pause whose next try was overdue is over; a later one begins anew.
        if let known = self.pause, moment.uptime > known.facts.end + Self.grace { self.pause = nil }
        self.pause = Trouble(since: self.pause?.since ?? moment, facts: pause, last: moment.uptime)
    }

    /// The platform has accepted batches again, or the app has ended the pause.
    mutating func uploadsResumed() {
        self.pause = nil
    }

    /// A call on the shared store has failed.
    mutating func storeFailed(_ code: SignetError.Code, _ calls: HealthReason.StoreCalls, at moment: Moment) {
        if let known = self.store[calls], self.isOver(known, at: moment) { self.store[calls] = nil }
        self.store[calls] = Trouble(since: self.store[calls]?.since ?? moment, facts: code, last: moment.uptime)
    }

    /// True if the store answers other calls, and has not failed for a while.
    private func isOver(_ trouble: Trouble<SignetError.Code>, at moment: Moment) -> Bool {
        self.storeAnswer > trouble.since.uptime && moment.uptime - trouble.last >= Self.storeMemory
    }

    /// True if the store is away, or calls of one kind fail.
    func isStoreAway(at moment: Moment) -> Bool {
        HealthReason.StoreCalls.allCases.contains { self.fails($0, at: moment) }
    }

    /// True if calls of a kind fail: their failures lasted, and were not those of one moment.
    private func fails(_ calls: HealthReason.StoreCalls, at moment: Moment) -> Bool {
        guard let trouble = self.store[calls], !self.isOver(trouble, at: moment) else { return false }
        if trouble.last - trouble.since.uptime >= Self.storeRepetition { return true }
        return self.storeAnswer <= trouble.since.uptime
            && moment.uptime - trouble.since.uptime >= Self.storePatience
    }

    /// The shared store has answered calls of a kind.
    mutating func storeAnswered(_ calls: HealthReason.StoreCalls, at moment: Moment) {
        self.storeAnswer = moment.uptime
        if !self.store.isEmpty { self.store[calls] = nil }
    }

    /// The shared store was reached by a call that says nothing of others of its kind.
    mutating func storeReached(_ calls: HealthReason.StoreCalls, at moment: Moment) {
        self.storeAnswer = moment.uptime
        if self.store[calls]?.facts == .storeUnreachable { self.store[calls] = nil }
    }

    /// The calls of the store that fail, with the code of the gravest; nil if none do.
    private func failingCalls(at moment: Moment) -> (kind: HealthReason.Kind, since: Moment)? {
        let calls = HealthReason.StoreCalls.allCases.filter { self.fails($0, at: moment) }
        let troubles = calls.compactMap { self.store[$0] }
        guard let first = troubles.first else { return nil }
        let since = troubles.map(\.since).min { $0.uptime < $1.uptime } ?? first.since
        // Nothing was answered since: the others were not tried.
        let failing = self.storeAnswer <= since.uptime ? HealthReason.StoreCalls.allCases : calls
        return (.storeUnreachable(first.facts, calls: Set(failing)), since)
    }

    /// The identity endpoint has refused the request of an installation, for 401, 403 or what is wrong with it.
    mutating func identityRefused(
        _ installation: InstallationID,
        _ code: SignetError.Code,
        httpStatus: Int?,
        at moment: Moment
    ) {
        var refusals = self.identity ?? IdentityRefusals(since: moment, code: code, installations: [])
        (refusals.code, refusals.httpStatus) = (code, httpStatus)
        if refusals.installations.count < Self.refusedInstallations { refusals.installations.insert(installation) }
        self.identity = refusals
    }

    /// The identity endpoint has accepted a request.
    mutating func identityAccepted() {
        self.identity = nil
    }

    /// Accepted events were given up.
    mutating func eventsLost(_ count: Int, at moment: Moment) {
        if let known = self.loss, moment.uptime - known.last >= Self.memory { self.loss = nil }
        let known = self.loss
        self.loss = Trouble(since: known?.since ?? moment, facts: (known?.facts ?? 0) + count, last: moment.uptime)
    }

    /// The clock of the machine has moved away from that of the shared store, or agrees again (nil).
    mutating func clockOffset(_ offset: Duration?, at moment: Moment) {
        self.offset = offset.map { Trouble(since: moment, facts: $0, last: moment.uptime) }
    }

    // MARK: - Review

    /// Returns what is wrong now, the graver first.
    mutating func review(_ facts: Facts, at moment: Moment) -> [HealthReason] {
        self.reviewDisk(facts, at: moment)
        self.reviewStorage(facts, at: moment)
        self.reviewClock(at: moment)
        if let pause = self.pause, moment.uptime > pause.facts.end + Self.grace { self.pause = nil }
        if let loss = self.loss, moment.uptime - loss.last >= Self.memory { self.loss = nil }
        if let jumped = self.jumped, moment.uptime - jumped.last >= Self.memory { self.jumped = nil }

        var reasons: [HealthReason] = []
        func add(_ kind: HealthReason.Kind, _ since: Moment) {
            let date = Date(milliseconds: since.milliseconds)
            reasons.append(HealthReason(kind: kind, since: date, stopsCalls: Self.stopsCalls(kind, facts)))
        }
        if facts.stage != .running { add(.notRunning, moment) }
        if let disk = self.disk { add(.diskRefusesWrites(disk.code), disk.since) }
        if let storage = self.storage, let limit = facts.limitBytes {
            let kind: HealthReason.Kind =
                storage.isFull
                ? .storageFull(bytes: facts.liveBytes, limit: limit)
                : .storageNearlyFull(bytes: facts.liveBytes, limit: limit)
            add(kind, storage.since)
        }
        if let store = self.failingCalls(at: moment) { add(store.kind, store.since) }
        if let loss = self.loss { add(.eventsLost(loss.facts), loss.since) }
        if let pause = self.pause {
            let end = moment.milliseconds + (pause.facts.end - moment.uptime).milliseconds
            let until = Date(milliseconds: end)
            add(
                .uploadsPaused(until: until, httpStatus: pause.facts.httpStatus, code: pause.facts.code),
                pause.since
            )
        }
        if let refusals = self.identity, refusals.installations.count >= Self.refusedInstallations {
            add(.identityRefused(refusals.code, httpStatus: refusals.httpStatus), refusals.since)
        }
        for work in facts.overdue where moment.uptime - work.since >= Self.dueWorkPatience {
            let since = Moment(
                uptime: work.since,
                milliseconds: moment.milliseconds - (moment.uptime - work.since).milliseconds
            )
            add(.workOverdue(kind: work.kind, count: work.count, code: work.code), since)
        }
        if let offset = self.offset { add(.clockOff(by: offset.facts), offset.since) }
        if let jumped = self.jumped { add(.clockJumped(by: jumped.facts), jumped.since) }
        let order = HealthReason.Kind.names
        return reasons.sorted { (order.firstIndex(of: $0.name) ?? 0) < (order.firstIndex(of: $1.name) ?? 0) }
    }

    private static func stopsCalls(_ kind: HealthReason.Kind, _ facts: Facts) -> Bool {
        guard case .storeUnreachable(let code, let calls) = kind else { return kind.stopsCalls }
        switch code {
        // No outage: opens do not go on with another store than theirs.
        case .workspaceMismatch, .newerFormat, .directoryInUse: return true
        default: return facts.failures.contains(.unreachableStore) && calls != [.flushes]
        }
    }

    private mutating func reviewDisk(_ facts: Facts, at moment: Moment) {
        if facts.inMemory > 0 {
            self.diskRefused(self.disk?.code ?? .diskFailed, appended: facts.appended, at: moment)
        } else if let disk = self.disk, facts.appended > disk.appended {
            self.disk = nil
        }
    }

    private mutating func reviewStorage(_ facts: Facts, at moment: Moment) {
        guard let limit = facts.limitBytes, limit > 0, facts.liveBytes >= limit / 10 * 8 else {
            (self.storage, self.hasRefused) = (nil, false)
            return
        }
        // With `.dropOldest` a full storage refuses nothing; the events that it gives up are losses.
        let isFull = facts.failures.contains(.fullStorage) && (self.hasRefused || facts.liveBytes >= limit / 100 * 99)
        if self.storage?.isFull != isFull { self.storage = (moment, isFull) }
    }

    private mutating func reviewClock(at moment: Moment) {
        let (difference, overflow) = moment.milliseconds.subtractingReportingOverflow(moment.uptime.milliseconds)
        guard !overflow else { return }
        defer { self.difference = difference }
        guard let before = self.difference else { return }
        let (change, isTooLarge) = difference.subtractingReportingOverflow(before)
        guard !isTooLarge, change.magnitude > Self.jump.magnitude else { return }
        self.jumped = Trouble(since: moment, facts: .milliseconds(change), last: moment.uptime)
    }
}
