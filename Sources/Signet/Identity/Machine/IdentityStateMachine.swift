// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

/// Decides which identity call of one installation goes next and applies its answer.
///
/// It runs nothing itself. One call at a time has the slot, from `begin` to `finish`. The slot is reserved first and filled
/// when the call is sent, so a call whose caller left before that is never sent.
struct IdentityStateMachine: Sendable {
    /// A call in progress or waiting.
    struct Ticket: Sendable {
        let number: Int
        let call: IdentityCall
        /// The user to modify; by default the current one at the call.
        let boundUser: MPID?
    }

    enum Slot: Sendable {
        /// Nothing is in progress. Can transition to `reserved` or `stopped`.
        case free
        /// A call has its turn and is not sent yet. Can transition to `sending`, `free` or `stopped`.
        indirect case reserved(Ticket)
        /// A call is in flight. Can transition to `settling`, `pausing`, `reserved` (of the next), `free` or `stopped`.
        indirect case sending(Ticket, IdentityPlan)
        /// A try has failed, and the next one comes after a pause, unless its caller leaves.
        ///
        /// Can transition to `sending`, `reserved` (of another call), `free` or `stopped`.
        indirect case pausing(Ticket, IdentityPlan)
        /// The user has changed, and other services must know before the next call.
        ///
        /// Can transition to `reserved` (of the next), `free` or `stopped`.
        indirect case settling(Ticket)
        /// Terminal.
        case stopped

        var ticket: Ticket? {
            switch self {
            case .free, .stopped: nil
            case .reserved(let ticket), .sending(let ticket, _), .pausing(let ticket, _), .settling(let ticket): ticket
            }
        }
    }

    var slot = Slot.free
    var waiting: [Ticket] = []
    /// Signet's own calls that lost the slot to a call of the app during their pauses.
    ///
    /// Each asks for it again when its pause is over.
    var displaced: [Ticket] = []
    private var nextNumber = 0
    /// The last identify, login or logout of the app that the platform answered.
    private(set) var lastTransition: Int?
    /// By type, the number of the first call that began after ``setDeviceIdentity(_:for:)``.
    ///
    /// Requests of earlier calls have an older value.
    private var deviceIdentitySet: [IdentityType: Int] = [:]
    /// The identity state of the installation.
    var state: IdentityState

    /// Makes a machine from a restored state.
    init(restoring state: IdentityState) {
        self.state = state
    }

    // MARK: - Looking

    /// True if a call is under way or waits for its turn.
    var isBusy: Bool {
        self.slot.ticket != nil || !self.waiting.isEmpty || !self.displaced.isEmpty
    }

    /// The number of calls that have begun.
    var callCount: Int {
        self.nextNumber
    }

    // MARK: - Beginning

    /// The next action for a caller.
    enum BeginAction: Sendable {
        /// Send the call; its turn has come.
        case start(Int)
        /// Let the caller wait for its turn.
        case wait(Int)
        /// Answer the caller at once; nothing is sent.
        case finish(IdentityOutcome)
    }

    /// Begins a call whose arguments have been checked.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - mayWait: If true, the call waits for another call of the app. All calls wait for Signet's own.
    ///   - now: Milliseconds since 1970.
    /// - Returns: The next action.
    mutating func begin(_ call: IdentityCall, mayWait: Bool, now: Int64) -> BeginAction {
        let ticket = Ticket(number: self.nextNumber, call: call, boundUser: self.boundUser(of: call))
        switch self.slot {
        case .stopped:
            return .finish(.failed(.notRunning))
        case .pausing(let own, _) where own.call.isOwn && !call.isOwn:
            // Nothing is in flight: Signet's own call yields its slot (design, law 3).
            if let outcome = self.outcomeWithoutSending(ticket, now: now) { return .finish(outcome) }
            self.nextNumber += 1
            self.displaced.append(own)
            self.slot = .reserved(ticket)
            return .start(ticket.number)
        case .reserved(let other), .sending(let other, _), .pausing(let other, _), .settling(let other):
            let isAppWaiting = !other.call.isOwn || self.waiting.contains { !$0.call.isOwn }
            guard mayWait || call.isOwn || !isAppWaiting else { return .finish(.failed(.requestInProgress)) }
            self.nextNumber += 1
            self.waiting.append(ticket)
            return .wait(ticket.number)
        case .free:
            if let outcome = self.outcomeWithoutSending(ticket, now: now) { return .finish(outcome) }
            self.nextNumber += 1
            self.slot = .reserved(ticket)
            return .start(ticket.number)
        }
    }

    // MARK: - Sending

    /// The next action for a call whose turn has come.
    enum SendAction: Sendable {
        /// Send this.
        case send(IdentityPlan)
        /// Answer the caller; nothing is sent. Then the next call, if any, has its turn.
        case finish(IdentityOutcome, next: Int?)
        /// Do nothing: the caller has left, and the slot is free or another call has it.
        case ignore
    }

    /// Decides what to send for a call whose turn has come, from the current state.
    mutating func startSending(_ number: Int, now: Int64) -> SendAction {
        guard case .reserved(let ticket) = self.slot, ticket.number == number else { return .ignore }
        if let outcome = self.outcomeWithoutSending(ticket, now: now) {
            return .finish(outcome, next: self.passOn())
        }
        guard let plan = self.plan(for: ticket) else {
            return .finish(.failed(.noUser), next: self.passOn())
        }
        self.slot = .sending(ticket, plan)
        return .send(plan)
    }

    // MARK: - Finishing

    /// The effects of an answer.
    struct Finish: Sendable {
        /// The outcome for the caller.
        let outcome: IdentityOutcome
        /// The change of the user for subscribers; nil if there is none.
        var change: (previous: User?, current: User)?
        /// The work of services that must follow; nil if none must.
        var following: Following?
        /// The first user, who gets the events logged before; nil if there was a first user already.
        var firstUser: MPID?
        /// The changes of users, to be logged as events.
        var updates: [UserUpdate] = []
        /// The next call to have its turn.
        var next: Int?

        /// True if the state must be saved.
        var isStateChanged: Bool {
            switch self.outcome {
            case .resolved, .modified: true
            case .searched, .failed: false
            }
        }
    }

    /// The services that must follow after an answer.
    struct Following: Sendable {
        let update: CurrentUserUpdate
        let services: Set<IdentitySyncOutcome.Service>

        /// Asks each service; nil if all know.
        init?(_ update: CurrentUserUpdate, _ syncStates: [ServiceSyncState]) {
            let services = Set(syncStates.filter { $0.isDue(update) }.map(\.service))
            guard !services.isEmpty else { return nil }
            self.update = update
            self.services = services
        }
    }

    /// Applies an answer, or the failure of the last try.
    ///
    /// - Parameters:
    ///   - number: The number of the call.
    ///   - answer: The platform's answer, or the failure.
    ///   - now: Milliseconds since 1970.
    ///   - syncStates: The states of other services. If one must follow, the call keeps the slot until `settled`, for
    ///     the order.
    ///   - latest: The latest consent of the user of the answer, which another installation may have.
    /// - Returns: The effects; nil for an answer that no call waits for, which changes nothing.
    mutating func finish(
        _ number: Int,
        with answer: IdentityAnswer,
        now: Int64,
        for syncStates: [ServiceSyncState] = [],
        latest: UserConsent? = nil
    ) -> Finish? {
        guard case .sending(let ticket, let plan) = self.slot, ticket.number == number else { return nil }
        if case .transition = ticket.call, case .user = answer { self.lastTransition = number }
        var finish = self.take(answer, of: plan, for: ticket, now: now, syncStates, latest)
        guard finish.following != nil else {
            finish.next = self.passOn()
            return finish
        }
        self.slot = .settling(ticket)
        return finish
    }

    /// Frees the slot after all services know of a change of the user.
    ///
    /// - Returns: The next call to have its turn.
    mutating func settled(_ number: Int) -> Int? {
        guard case .settling(let ticket) = self.slot, ticket.number == number else { return nil }
        return self.passOn()
    }

    // MARK: - Leaving

    /// The result of withdrawing a call.
    enum WithdrawAction: Sendable, Hashable {
        /// The call will not be sent. The next one, if any, has its turn.
        case withdrawn(next: Int?)
        /// The call is in flight; its answer will be applied.
        case detached
        /// The call has ended.
        case ignore
    }

    /// Withdraws a call whose caller was cancelled, or gave up waiting for the runtime to run.
    ///
    /// Only a request on the wire goes on. A call that waits for its turn or for its next try ends: nothing of it is sent any more.
    mutating func withdraw(_ number: Int) -> WithdrawAction {
        switch self.slot {
        case .reserved(let ticket) where ticket.number == number: return .withdrawn(next: self.passOn())
        case .sending(let ticket, _) where ticket.number == number: return .detached
        case .settling(let ticket) where ticket.number == number: return .detached
        default: break
        }
        let paused = self.giveUpRepeating(number)
        guard paused == .ignore else { return paused }
        return self.giveUpWaiting(number) ? .withdrawn(next: nil) : .ignore
    }

    /// Removes a call that has waited too long for its turn.
    ///
    /// - Returns: True if it was still waiting; false if its turn has come meanwhile.
    mutating func giveUpWaiting(_ number: Int) -> Bool {
        let count = self.waiting.count
        self.waiting.removeAll { $0.number == number }
        return self.waiting.count < count
    }

    /// Stops sending and applying when the runtime ends, or the installation leaves memory.
    ///
    /// - Returns: The calls whose callers must be answered.
    mutating func stop() -> [Int] {
        let numbers = [self.slot.ticket?.number].compactMap { $0 } + (self.waiting + self.displaced).map(\.number)
        self.slot = .stopped
        self.waiting = []
        self.displaced = []
        return numbers
    }

    // MARK: - Looking

    /// True if a call has its turn and is not sent yet.
    func isReserved(_ number: Int) -> Bool {
        if case .reserved(let ticket) = self.slot { ticket.number == number } else { false }
    }

    /// True if no call is in progress or waiting.
    var isIdle: Bool {
        self.slot.ticket == nil && self.waiting.isEmpty && self.displaced.isEmpty
    }

    // MARK: - Changing without the platform

    /// Opts out or in.
    mutating func setOptedOut(_ isOptedOut: Bool) {
        self.state.isOptedOut = isOptedOut
    }

    /// Sets or removes the source that brought the users to the app.
    mutating func setAttribution(_ attribution: Attribution?) {
        self.state.attribution = attribution
    }

    /// Replaces or removes the attributes for an integration of the platform.
    mutating func setIntegrationAttributes(
        _ attributes: [String: String],
        ofIntegration integration: Int
    ) throws(SignetError) {
        try self.state.integrations.set(attributes, ofIntegration: integration)
    }

    /// Sets or removes an identity of the device, and outdates the values in calls that began before.
    mutating func setDeviceIdentity(_ value: String?, for type: IdentityType) {
        self.state.devices.set(value, for: type)
        self.deviceIdentitySet[type] = self.nextNumber
    }

    /// True if a push token must be sent, and no waiting call will send it.
    var needsPushTokenCall: Bool {
        guard self.state.pushTokenChange != nil, !self.state.isOptedOut else { return false }
        if case .reserved(let ticket) = self.slot, ticket.call == .pushToken { return false }
        return !self.waiting.contains { $0.call == .pushToken }
    }

    /// Replaces the state.
    mutating func replaceState(_ state: IdentityState) {
        self.state = state
    }

    /// A request without the device identities that the app has set since the call began.
    func upToDate(_ request: IdentityRequest, of ticket: Ticket) -> IdentityRequest {
        guard !self.deviceIdentitySet.isEmpty else { return request }
        var request = request
        for type in request.identities.keys where ticket.number < self.deviceIdentitySet[type] ?? 0 {
            request.removeValue(for: type)
        }
        return request
    }

    /// Gives the slot to the call that has waited longest.
    mutating func passOn() -> Int? {
        guard !self.waiting.isEmpty else {
            self.slot = .free
            return nil
        }
        let ticket = self.waiting.removeFirst()
        self.slot = .reserved(ticket)
        return ticket.number
    }
}
