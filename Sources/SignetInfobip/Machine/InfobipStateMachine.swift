// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

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
    typealias Operation = InfobipOperation
    typealias Answer = InfobipAnswer
    typealias Action = InfobipAction
    typealias Step = LinkedStep<Operation>

    /// The time without a further event after which events are sent.
    static let quiet: Duration = .seconds(2)
    /// The most events in one request.
    static let batch = 100

    var memory: InfobipMemory
    /// The memory of a profile without a record.
    private let fresh: InfobipMemory
    /// The app's description of the device.
    var device = InfobipDevice()
    /// The hashes of the system data: the settled ones, and those of the first hour.
    var systemHash: (settled: String, fresh: String)
    /// True if a request that takes a token can be sent without asking for one.
    var hasToken = true
    var callers = InfobipCallers()
    var backOff = BackOff()
    private var lastObstacle: LinkedObstacle?
    private var losses = RegistrationLosses()
    /// The most events in the next request: fewer after one that was too large, or refused.
    var eventsAtOnce = Self.batch
    /// The last search for events that the service refuses.
    var refusedEvents: RefusedEvents?
    /// The uptime at which queued events are sent; nil if at once.
    var eventsDue: Duration?
    var isReportDue = false
    var use = InfobipUse.idle
    private(set) var inFlight: Operation.InFlight?
    /// The attempts that were made for people who leave; not persisted, for a relaunch may try once more.
    private(set) var attempts: Set<Operation.Attempt> = []
    private var lastNumber = 0

    init(
        restoring memory: InfobipMemory,
        systemHash: (settled: String, fresh: String),
        fresh: InfobipMemory? = nil
    ) {
        self.memory = memory
        self.fresh = fresh ?? InfobipMemory(application: memory.application)
        self.systemHash = systemHash
        self.interrupt()
    }

    // MARK: - Facts

    /// The person with all pending changes.
    var user: InfobipUser { self.memory.user }

    /// The installation with all pending changes.
    var profile: InfobipInstallation { self.memory.profile(on: self.device) }

    /// True while the person of before has not left.
    var isDepersonalizationPending: Bool { self.memory.last.isComing }

    /// True if changes of the app have not reached the service; what waits for a person's return does not count.
    var hasPendingChanges: Bool { self.memory.hasPendingChanges }

    /// True while the app is in use.
    var isActive: Bool {
        if case .active = self.use { true } else { false }
    }

    var obstacle: LinkedObstacle? { self.backOff.pausedUntil == nil ? nil : self.lastObstacle }

    /// The hash of the system data that the service is to have now.
    func systemHash(_ milliseconds: Int64) -> String {
        self.memory.isFresh(milliseconds) ? self.systemHash.fresh : self.systemHash.settled
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
        let isPaused = self.backOff.isPaused(at: now)
        if self.askedPause(now) == nil,
            let (operation, tickets) = self.choose(isPaused: isPaused, now: now, milliseconds: milliseconds)
        {
            self.lastNumber += 1
            self.inFlight = Operation.InFlight(number: self.lastNumber, operation: operation, tickets: tickets)
            if let scope = operation.barrierScope { self.memory.people.move(to: scope) }
            if let attempt = operation.attempt, attempt.scope != self.memory.last.id { self.attempts.insert(attempt) }
            return .perform(self.lastNumber, operation)
        }
        guard self.memory.canRegister else { return .idle }
        if isPaused, self.willHaveWork(milliseconds) { return .wait(until: self.backOff.pausedUntil ?? now) }
        if let due = self.eventsDue, due > now, self.memory.active != nil, !self.memory.last.events.isEmpty {
            return .wait(until: due)
        }
        return .idle
    }

    /// True if there is work, now or after a pause.
    func hasWork(now: Duration, milliseconds: Int64) -> Bool {
        self.inFlight != nil || self.willHaveWork(milliseconds)
    }

    private func willHaveWork(_ milliseconds: Int64) -> Bool {
        self.choose(isPaused: false, now: .seconds(1 << 40), milliseconds: milliseconds) != nil
    }

    /// Handles the end of an operation.
    ///
    /// - Parameters:
    ///   - number: The number of the operation; one that is no longer in flight has no effect.
    ///   - answer: The outcome.
    ///   - now: Uptime.
    ///   - milliseconds: The wall clock.
    ///   - jitter: A value from 0 to 1, for the jitter of pauses.
    /// - Returns: The actions to take.
    mutating func finish(
        _ number: Int,
        _ answer: Answer,
        now: Duration,
        milliseconds: Int64,
        jitter: Double
    ) -> [Action] {
        guard let ended = self.inFlight, ended.number == number else { return [] }
        let before = self.memory
        self.inFlight = nil
        let answer = self.fit(answer, to: ended.operation, milliseconds)
        var actions: [Action] = []
        if case .failure(let error) = answer.outcome { actions.append(.tell(.failed(error))) }
        switch answer {
        case .lost(let error):
            actions += self.lose(error, now: now, jitter: jitter)
        case .failed(let error, let mayHaveHappened):
            self.backOff.fail(error, now: now, jitter: jitter, steps: error.steps)
            self.lastObstacle = error.obstacle
            actions += self.failed(ended, error, mayHaveHappened)
            // What was not sent for the person of before holds up no other.
            if self.memory.last.isComing, !mayHaveHappened, case .saveUser = ended.operation { self.tryAgain() }
        case .tooMany(let error):
            // Fewer go at once.
            self.lastObstacle = .refusal(error)
        case .refused(let error, _) where ended.operation.isRepeatedWhenRefused:
            self.backOff.fail(error, now: now, jitter: jitter)
            self.lastObstacle = .refusal(error)
            actions += self.failed(ended, error, true)
        case .refused(let error, let rollsBackIdentity):
            self.backOff.clear()
            if let events = ended.operation.events {
                actions.append(.countRefusedEvents(events.count))
            } else if ended.operation.holdsData {
                actions.append(.countRefused)
            }
            actions +=
                self.refused(ended, error, rollsBackIdentity, milliseconds)
                + self.end(ended.tickets, .failure(error))
        case .done, .user, .installation:
            self.fitted(ended.operation)
            // Pauses grow as long as registrations are lost again.
            if self.losses.isRepeating(now) { self.backOff.endPause() } else { self.backOff.clear() }
            actions += self.succeeded(ended, answer, milliseconds: milliseconds)
        }
        actions += self.endOvertaken(answer.outcome, ofBarrier: ended.operation.barrierScope != nil)
        if case .success = answer.outcome, ended.operation.barrierScope == nil {
            actions += self.end(ended.tickets, .success(.done))
        }
        if let error = self.askedPause(now) { actions += self.endServed(error) }
        if self.memory != before { actions.insert(.save, at: 0) }
        return actions
    }

    /// The service has lost the registration.
    private mutating func lose(_ error: SignetError, now: Duration, jitter: Double) -> [Action] {
        self.losses.add(now)
        self.memory.registration = .lost
        self.memory.people.lost()
        if self.memory.token == nil { return self.endAll(.failure(.notRegistered)) }
        // Retries once: a new registration that is lost again at once is no cure.
        guard self.losses.isRepeating(now) else { return [] }
        self.backOff.fail(error, now: now, jitter: jitter)
        self.lastObstacle = .refusal(error)
        return self.endServed(error)
    }

    /// Ends the request in flight, because the runtime ends; its outcome is unknown.
    mutating func interrupt() {
        self.inFlight = nil
        self.memory.people.unanswered(mayHaveHappened: true)
    }

    /// Takes the operation in flight back: nothing was sent, and it is chosen again.
    mutating func takeBack() -> [Action] {
        guard let ended = self.inFlight else { return [] }
        self.inFlight = nil
        self.memory.people.unanswered(mayHaveHappened: false)
        if let attempt = ended.operation.attempt { self.attempts.remove(attempt) }
        return [.save]
    }

    /// Leaves the last events out of the request in flight, which is not sent yet: they do not fit in it.
    ///
    /// - Returns: The operation that is in flight now.
    mutating func fit(first count: Int, of operation: Operation) -> Operation {
        guard let inFlight = self.inFlight, case .sendEvents(let ordinals, let scope) = inFlight.operation,
            count < ordinals.count
        else { return operation }
        let shorter = Operation.sendEvents(Array(ordinals.prefix(count)), scope: scope)
        self.inFlight = Operation.InFlight(number: inFlight.number, operation: shorter, tickets: inFlight.tickets)
        return shorter
    }

    /// Allows another attempt of a person who leaves.
    mutating func allow(_ operation: Operation) {
        if let attempt = operation.attempt { self.attempts.remove(attempt) }
    }

    /// The pause that the service has asked for, unless it is over.
    func askedPause(_ now: Duration) -> SignetError? {
        self.backOff.askedPause(at: now).map {
            SignetError(.throttled, "Infobip asked for a pause, so nothing was sent.", retryAfter: $0)
        }
    }

    /// Ends a pause, unless the service has asked for it.
    mutating func tryAgain() {
        self.backOff.tryAgain()
    }

    /// Begins anew; ordinals of events and numbers of calls are not used again.
    mutating func startAnew() -> [Action] {
        let before = self.memory
        self.memory = self.fresh
        self.memory.nextEvent = before.nextEvent
        self.memory.people = PersonScopes(first: before.people.lastNumber + 1)
        self.attempts = []
        self.inFlight = nil
        return [.drop(before.events)]
    }

    // MARK: - People

    /// Changes the people, and reports what is given up.
    mutating func change(_ body: (inout PersonScopes) -> [PersonScope]) -> [Action] {
        let before = self.memory.last.id
        let dropped = body(&self.memory.people)
        var actions: [Action] = []
        if self.memory.last.id != before, self.memory.installation.hasPersonChanges {
            // They would be another's.
            self.memory.installation.dropPersonChanges()
            actions = self.callers.end { $0.event == .installation(ofPerson: true) ? .success(.pending) : nil }
        }
        if self.memory.people.attachment == .known(self.memory.last.id) { self.attempts = [] }
        let changes = dropped.reduce(0) { $0 + $1.edits.fields.count }
        let events = dropped.flatMap(\.events.all)
        if changes > 0 { actions.append(.dropChanges(changes)) }
        if !events.isEmpty { actions.append(.drop(events)) }
        return actions
    }
}
