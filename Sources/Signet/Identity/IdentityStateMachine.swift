//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

/// Decides which identity call of one installation goes next and what its answer changes.
///
/// Runs nothing.
///
/// One call at a time has the slot, from `begin` to `finish`. The slot is reserved first and filled when the call is
/// really sent, so that a call whose caller went away before that is never sent.
struct IdentityStateMachine: Sendable {
    /// A call on its way through the machine.
    struct Ticket: Sendable {
        let number: Int
        let call: IdentityCall
        /// The user a modify is bound to, by default the one who was current when it was called.
        let boundUser: MPID?
    }

    enum Slot: Sendable {
        /// Nothing is under way. Can transition to `reserved` or `stopped`.
        case free
        /// A call has its turn and is not sent yet. Can transition to `sending`, `free` or `stopped`.
        indirect case reserved(Ticket)
        /// A call is at the platform. Can transition to `settling`, `pausing`, `reserved` (of the next), `free` or `stopped`.
        indirect case sending(Ticket, IdentityPlan)
        /// A try has failed, and the next one waits for its time. Can transition to `sending`, `reserved` (of another
        /// call), `free` or `stopped`.
        indirect case pausing(Ticket, IdentityPlan)
        /// The user has changed, and others are to know before anybody else comes. Can transition to `reserved` (of the
        /// next), `free` or `stopped`.
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
    /// Signet's own calls that lost the slot to a call of the app while they paused; each asks for it again when its pause
    /// is over.
    var displaced: [Ticket] = []
    private var nextNumber = 0
    /// The last identify, login or logout of the app that the platform answered.
    private(set) var lastTransition: Int?
    /// By type, the number of the first call that began after ``setDeviceIdentity(_:for:)``: requests of earlier calls hold
    /// an older value.
    private var deviceIdentitySet: [IdentityType: Int] = [:]
    /// What the installation remembers.
    var state: IdentityState

    /// Restores.
    init(restoring state: IdentityState) {
        self.state = state
    }

    // MARK: - Beginning

    /// What to do for a caller.
    enum BeginAction: Sendable {
        /// Have the call sent; its turn has come.
        case start(Int)
        /// Let the caller wait for its turn.
        case wait(Int)
        /// Tell the caller at once; nothing is sent.
        case finish(IdentityOutcome)
    }

    /// A call begins.
    ///
    /// Its arguments have been checked.
    ///
    /// - Parameters:
    ///   - call: Which one.
    ///   - mayWait: Whether it waits for another call of the app; Signet's own calls are always waited for.
    ///   - now: Milliseconds since 1970.
    /// - Returns: What to do.
    mutating func begin(_ call: IdentityCall, mayWait: Bool, now: Int64) -> BeginAction {
        let ticket = Ticket(number: self.nextNumber, call: call, boundUser: self.boundUser(of: call))
        switch self.slot {
        case .stopped:
            return .finish(.failed(.notRunning))
        case .pausing(let own, _) where own.call.isOwn && !call.isOwn:
            // Nothing is on the wire: Signet's own call makes way (design, law 3).
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

    /// What to do when a call is about to be sent.
    enum SendAction: Sendable {
        /// Send this.
        case send(IdentityPlan)
        /// Tell the caller; nothing is sent. Then the next one, if any, has its turn.
        case finish(IdentityOutcome, next: Int?)
        /// The caller has gone; somebody else has the slot, or nobody.
        case ignore
    }

    /// A call whose turn has come is about to be sent: decides what to send, from what is known now.
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

    /// What an answer changes.
    struct Finish: Sendable {
        /// For the caller.
        let outcome: IdentityOutcome
        /// For the streams; nil when nobody has come or changed.
        var change: (previous: User?, current: User)?
        /// The first user of the installation, who inherits what was logged before; nil when there was one already.
        var firstUser: MPID?
        /// What changed of users, to be told as events.
        var updates: [UserUpdate] = []
        /// Whether the state must be saved.
        var isStateChanged = false
        /// Whose turn it is now.
        var next: Int?
    }

    /// An answer has come, or the last try has failed.
    ///
    /// - Parameters:
    ///   - number: Of which call.
    ///   - answer: What has come.
    ///   - now: Milliseconds since 1970.
    ///   - settles: Whether a change of the user keeps the slot until `settled`: others, who follow it, must not learn of two in
    ///     the wrong order.
    /// - Returns: What to do; nil for an answer nobody waits for any more, which changes nothing.
    mutating func finish(
        _ number: Int,
        with answer: IdentityAnswer,
        now: Int64,
        settles: Bool = false
    ) -> Finish? {
        guard case .sending(let ticket, let plan) = self.slot, ticket.number == number else { return nil }
        if case .transition = ticket.call, case .user = answer { self.lastTransition = number }
        var finish = self.take(answer, of: plan, for: ticket, now: now)
        guard settles, finish.change != nil else {
            finish.next = self.passOn()
            return finish
        }
        self.slot = .settling(ticket)
        return finish
    }

    /// Everybody knows of the change of the user who is to.
    ///
    /// - Returns: Whose turn it is now.
    mutating func settled(_ number: Int) -> Int? {
        guard case .settling(let ticket) = self.slot, ticket.number == number else { return nil }
        return self.passOn()
    }

    // MARK: - Leaving

    /// What becomes of a call whose caller no longer waits.
    enum WithdrawAction: Sendable, Hashable {
        /// It will not be sent. The next one, if any, has its turn.
        case withdrawn(next: Int?)
        /// It is at the platform; its answer will be taken.
        case detached
        /// It has ended.
        case ignore
    }

    /// A caller was cancelled, or gave up waiting for somebody to run the runtime.
    mutating func withdraw(_ number: Int) -> WithdrawAction {
        if case .reserved(let ticket) = self.slot, ticket.number == number {
            return .withdrawn(next: self.passOn())
        }
        switch self.slot {
        case .sending(let ticket, _) where ticket.number == number: return .detached
        case .pausing(let ticket, _) where ticket.number == number: return .detached
        case .settling(let ticket) where ticket.number == number: return .detached
        default: break
        }
        return self.giveUpWaiting(number) ? .withdrawn(next: nil) : .ignore
    }

    /// A caller has waited long enough for its turn.
    ///
    /// - Returns: Whether it was still waiting; false when its turn has come meanwhile.
    mutating func giveUpWaiting(_ number: Int) -> Bool {
        let count = self.waiting.count
        self.waiting.removeAll { $0.number == number }
        return self.waiting.count < count
    }

    /// The runtime ends, or the installation leaves memory: nothing is sent or taken any more.
    ///
    /// - Returns: The calls whose callers must be told.
    mutating func stop() -> [Int] {
        let numbers = [self.slot.ticket?.number].compactMap { $0 } + (self.waiting + self.displaced).map(\.number)
        self.slot = .stopped
        self.waiting = []
        self.displaced = []
        return numbers
    }

    // MARK: - Looking

    /// Whether a call has its turn and is not sent yet.
    func isReserved(_ number: Int) -> Bool {
        if case .reserved(let ticket) = self.slot { ticket.number == number } else { false }
    }

    /// Whether nothing is under way and nobody waits.
    var isIdle: Bool {
        self.slot.ticket == nil && self.waiting.isEmpty && self.displaced.isEmpty
    }

    // MARK: - Changing without the platform

    /// Opts out or in.
    mutating func setOptedOut(_ isOptedOut: Bool) {
        self.state.isOptedOut = isOptedOut
    }

    /// Sets or removes what brought the users to the app.
    mutating func setAttribution(_ attribution: Attribution?) {
        self.state.attribution = attribution
    }

    /// Sets or removes an identity of the device; what calls that began before say of it is outdated.
    mutating func setDeviceIdentity(_ value: String?, for type: IdentityType) {
        self.state.devices.set(value, for: type)
        self.deviceIdentitySet[type] = self.nextNumber
    }

    /// Whether the platform should be told of a push token, and no call that will do so waits already.
    var needsPushTokenCall: Bool {
        guard self.state.pushTokenChange != nil, !self.state.isOptedOut else { return false }
        if case .reserved(let ticket) = self.slot, ticket.call == .pushToken { return false }
        return !self.waiting.contains { $0.call == .pushToken }
    }

    /// Puts what an answer made of the state in its place.
    mutating func replaceState(_ state: IdentityState) {
        self.state = state
    }

    /// A request without what it says of the device that the app has set anew since the call began.
    func upToDate(_ request: IdentityRequest, of ticket: Ticket) -> IdentityRequest {
        guard !self.deviceIdentitySet.isEmpty else { return request }
        var request = request
        for type in request.identities.keys where ticket.number < self.deviceIdentitySet[type] ?? 0 {
            request.removeValue(for: type)
        }
        return request
    }

    /// Gives the slot to whoever has waited longest.
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
