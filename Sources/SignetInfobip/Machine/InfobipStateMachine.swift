// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// Decides on a profile: the data to keep, the next request, and the effect of an answer on both.
///
/// It holds the persisted memory, and transient state: the request in flight, the waiting callers and the pause.
///
/// One loop: register; then, if a depersonalize or a forced personalize waits, give the known earlier person one attempt
/// for what is left of theirs, and do the last such barrier; else the next barrier of the scope. When it is done, park or
/// drop all earlier scopes. Then edits, events and sessions.
///
/// | registration | attachment, barriers | next |
/// |---|---|---|
/// | none, lost | any | register, if there is a push token |
/// | active | known earlier scope, the last one is coming | one attempt each: edits, events, sessions; then that barrier |
/// | active | moving to the last scope, or known and a barrier waits | the scope's first barrier |
/// | active | moving to an earlier scope | the last scope's barrier, whose result does not depend on it |
/// | active | known last scope, no barrier | saves, calls, former registrations, events, sessions |
struct InfobipStateMachine: Sendable {
    /// The actions of a decision, in this order.
    enum Action: Sendable {
        /// Persist the memory.
        case save
        /// Persist an event, before the memory that counts it.
        case store(StoredInfobipEvent)
        /// Remove events that no longer count.
        case remove([UInt64])
        /// Remove events that must not be sent any more, and count them.
        case drop([UInt64])
        /// Count changes of a person that must not be sent any more.
        case dropChanges(Int)
        /// Notify subscribers.
        case tell(InfobipUpdate.Kind)
        /// Report the outcome of a change of the installation's user.
        case linked(UUID, IdentitySyncOutcome.Kind)
        /// Answer a caller.
        case end(Int, Result<InfobipSaveResult, SignetError>)
    }

    /// One request.
    enum Operation: Sendable, Hashable {
        case register(InfobipInstallation, InfobipPushToken)
        case expire(String)
        /// Sends changes; also token and system data if the service has others.
        case saveInstallation(
            InfobipInstallationChanges,
            token: InfobipPushToken?,
            system: String?,
            scope: PersonScope.ID
        )
        /// The last attempt for a person who leaves does not wait for a token.
        case saveUser(InfobipEdits, scope: PersonScope.ID, isLast: Bool)
        case attach(PersonScope.Attach, scope: PersonScope.ID)
        case detach(scope: PersonScope.ID)
        case look(scope: PersonScope.ID)
        case fetchUser(scope: PersonScope.ID)
        case fetchInstallation
        case depersonalizeOther(String, scope: PersonScope.ID)
        case setPrimary(String, Bool, scope: PersonScope.ID)
        case sendEvent(StoredInfobipEvent)
        case sendEvents([UInt64], scope: PersonScope.ID)
        case reportSessions(InfobipSessions.Report, scope: PersonScope.ID)
    }

    typealias Step = LinkedStep<Operation>

    /// The outcome of an operation.
    enum Answer: Sendable {
        /// The service has done it.
        case done
        /// The service has named the person.
        case user(InfobipUser)
        /// The service has described the installation.
        case installation(InfobipInstallation)
        /// The registration does not exist any more.
        case lost(SignetError)
        /// It will never be done; phones, addresses and external id may be another person's.
        case refused(SignetError, rollsBackIdentity: Bool)
        /// It may be done later, or the outcome is unknown.
        case failed(SignetError, mayHaveHappened: Bool)
    }

    /// A caller, and what it waits for.
    struct Waiting: Sendable, Hashable {
        enum Event: Sendable, Hashable {
            case registration
            case edits(PersonScope.ID)
            case installation
            /// The barrier of this number.
            case barrier(UInt64)
            /// A call that is done once, of the scope of its moment.
            case call(InfobipCall, PersonScope.ID)
        }

        let ticket: Int
        let event: Event
    }

    /// The request in flight, and the callers who wait for it.
    struct InFlight: Sendable {
        let number: Int
        let operation: Operation
        let tickets: [Int]
    }

    /// A part of what is left of a person, for which there is one attempt.
    struct Attempt: Sendable, Hashable {
        enum Part { case edits, events, sessions }

        let scope: PersonScope.ID
        let part: Part
    }

    /// The time without a further event after which events are sent.
    static let quiet: Duration = .seconds(2)
    static let pauses: [Duration] = [5, 15, 60, 120, 300].map { .seconds($0) }
    /// The time after registration in which notifications are reported as enabled, in milliseconds.
    ///
    /// The user's choice does not matter then.
    static let settling: Int64 = 3_600_000
    /// The most events in one request.
    static let batch = 100

    var memory: InfobipMemory
    /// The memory of a profile without a record.
    let fresh: InfobipMemory
    /// The app's description of the device.
    var device = InfobipDevice()
    /// The hashes of the system data: the settled ones, and those of the first hour.
    var systemHash: (settled: String, fresh: String)
    /// True if a request that takes a token can be sent without asking for one.
    var hasToken = true
    var inFlight: InFlight?
    /// The callers, in the order of their calls.
    var waiting: [Waiting] = []
    /// The attempts that were made for people who leave; not persisted, for a relaunch may try once more.
    var attempts: Set<Attempt> = []
    /// The number of registrations that were lost within a minute of each other, and when the last one was.
    var losses = 0
    var lostAt: Duration?
    var failures = 0
    var pausedUntil: Duration?
    /// True if the service has asked for the pause.
    var isPauseAsked = false
    var eventsDue: Duration?
    var isReportDue = false
    /// True while the app is in use.
    var isActive = false
    /// The end of a session as last persisted, in milliseconds since 1970.
    var keptUntil: Int64 = 0
    private var lastNumber = 0
    private var lastTicket = 0

    init(
        restoring memory: InfobipMemory,
        systemHash: (settled: String, fresh: String),
        fresh: InfobipMemory? = nil
    ) {
        self.memory = memory
        self.fresh = fresh ?? InfobipMemory(application: memory.application)
        self.systemHash = systemHash
        self.interrupt()
        if !memory.events.isEmpty { self.eventsDue = .zero }
    }

    // MARK: - Facts

    /// The person with all pending changes; a pending primary flag of this installation shows in their list, too.
    var user: InfobipUser {
        var user = self.memory.last.user
        if let isPrimary = self.memory.installation.changes.isPrimary, let id = self.memory.active?.id {
            user.setPrimary(id, isPrimary)
        }
        return user
    }

    /// The installation with all pending changes.
    var profile: InfobipInstallation {
        var known = self.memory.installation.known.value
        if self.memory.last.isComing {
            // They belong to the person who leaves.
            known.customAttributes = [:]
            known.isPrimary = false
        }
        var profile = known.applying(self.memory.installation.changes)
        profile.pushRegistrationID = self.memory.active?.id
        profile.pushServiceType = self.memory.token?.service ?? profile.pushServiceType
        profile.pushServiceToken = self.memory.token.map { Secret($0.token) }
        return self.device.applied(to: profile)
    }

    /// True while the person of before has not left.
    var isDepersonalizationPending: Bool { self.memory.last.isComing }

    /// True if changes of the app have not reached the service; what waits for a person's return does not count.
    var hasPendingChanges: Bool {
        !self.memory.installation.changes.isEmpty
            || self.memory.scopes.contains { !$0.edits.isEmpty || !$0.barriers.isEmpty }
    }

    /// True if a caller waits for an answer.
    ///
    /// Callers who wait for a registration do not count: they wait through pauses.
    var hasCallers: Bool { self.waiting.contains { $0.event != .registration } }

    /// The tickets of the callers that wait for one of these events.
    func tickets(_ isMeant: (Waiting.Event) -> Bool) -> [Int] {
        self.waiting.filter { isMeant($0.event) }.map(\.ticket)
    }

    // MARK: - Running

    /// Chooses the next step.
    ///
    /// - Parameters:
    ///   - now: Uptime.
    ///   - milliseconds: The wall clock.
    /// - Returns: The next step; an operation is in flight from then on, and the memory must be persisted before it is
    ///   sent.
    mutating func next(now: Duration, milliseconds: Int64) -> Step {
        guard self.inFlight == nil else { return .busy }
        let isPaused = self.pausedUntil.map { $0 > now } ?? false
        // No request is sent in a pause that the service has asked for.
        let isHeld = isPaused && self.isPauseAsked
        if !isHeld, let (operation, tickets) = self.choose(isPaused: isPaused, now: now, milliseconds: milliseconds) {
            self.lastNumber += 1
            self.inFlight = InFlight(number: self.lastNumber, operation: operation, tickets: tickets)
            self.mark(operation)
            return .perform(self.lastNumber, operation)
        }
        guard self.memory.active != nil || self.memory.token != nil else { return .idle }
        if isPaused, self.choose(isPaused: false, now: .seconds(1 << 40), milliseconds: milliseconds) != nil {
            return .wait(until: self.pausedUntil ?? now)
        }
        if let due = self.eventsDue, due > now, self.memory.active != nil, !self.memory.last.events.isEmpty {
            return .wait(until: due)
        }
        return .idle
    }

    /// Remembers that an operation is or may be on the wire.
    private mutating func mark(_ operation: Operation) {
        switch operation {
        case .attach(_, let scope), .detach(let scope), .look(let scope):
            switch self.memory.attachment {
            case .known(let from): self.memory.attachment = .moving(to: scope, from: from)
            case .moving(_, let from): self.memory.attachment = .moving(to: scope, from: from)
            }
        case .saveUser(_, let scope, isLast: true): self.attempts.insert(.init(scope: scope, part: .edits))
        case .sendEvents(_, let scope) where scope != self.memory.last.id:
            self.attempts.insert(.init(scope: scope, part: .events))
        case .reportSessions(_, let scope) where scope != self.memory.last.id:
            self.attempts.insert(.init(scope: scope, part: .sessions))
        default: break
        }
    }

    /// Ends the request in flight, because the runtime ends; its outcome is unknown.
    mutating func interrupt() {
        self.inFlight = nil
        if case .moving(let to, _) = self.memory.attachment { self.memory.attachment = .moving(to: to, from: nil) }
    }

    /// True if there is work, now or after a pause.
    func hasWork(now: Duration, milliseconds: Int64) -> Bool {
        self.inFlight != nil
            || self.choose(isPaused: false, now: .seconds(1 << 40), milliseconds: milliseconds) != nil
    }

    mutating func newTicket() -> Int {
        self.lastTicket += 1
        return self.lastTicket
    }

    mutating func wait(for event: Waiting.Event) -> Int {
        let ticket = self.newTicket()
        self.waiting.append(Waiting(ticket: ticket, event: event))
        return ticket
    }

    /// Answers callers.
    mutating func end(_ tickets: [Int], _ result: Result<InfobipSaveResult, SignetError>) -> [Action] {
        let tickets = Set(tickets)
        let ended = self.waiting.filter { tickets.contains($0.ticket) }
        self.waiting.removeAll { tickets.contains($0.ticket) }
        return ended.map { .end($0.ticket, result) }
    }

    // MARK: - Pauses

    /// Pauses after a failure; a delay that the service asked for applies to all callers.
    mutating func pause(after error: SignetError, now: Duration, jitter: Double) {
        self.failures += 1
        let own = Self.pauses[min(self.failures, Self.pauses.count) - 1]
        let delay = error.retryAfter ?? own * (1 - 0.2 * jitter)
        self.pausedUntil = now + min(delay, .seconds(86_400))
        self.isPauseAsked = error.retryAfter != nil
    }

    /// Ends a pause, unless the service has asked for it.
    mutating func tryAgain() {
        if !self.isPauseAsked { self.clearPause() }
    }

    /// Ends any pause.
    mutating func clearPause() {
        self.pausedUntil = nil
        self.isPauseAsked = false
        self.failures = 0
    }

    /// The pause that the service has asked for, unless it is over.
    func askedPause(_ now: Duration) -> SignetError? {
        guard self.isPauseAsked, let pausedUntil, pausedUntil > now else { return nil }
        return SignetError(
            .throttled,
            "Infobip asked for a pause, so nothing was sent.",
            retryAfter: pausedUntil - now
        )
    }
}
