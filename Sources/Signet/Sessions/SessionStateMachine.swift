//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

/// Decides when a session begins and ends, and keeps its accounts.
///
/// Runs under the lock of its installation; asks no clock.
struct SessionStateMachine: Sendable {
    /// What to do, in this order.
    enum Action: Sendable, Hashable {
        case end(SessionTotals, SessionChange.EndReason)
        case begin(Session, previous: PreviousSession?)
        /// The app has changed its state, which is told where that is asked for.
        case tell(ApplicationStateTransition.Kind)
    }

    /// What the app does, as far as it has said so.
    enum AppState: Sendable {
        /// It was launched, and has said nothing since. Can transition to `foreground` or `background`.
        case launched
        /// It came to the foreground. Can transition to `background`.
        case foreground
        /// It went to the background, or has ended. Can transition to `foreground`.
        case background
    }

    /// The session before, apart: most sessions are the first one.
    private final class Last: Sendable {
        let session: PreviousSession

        init(_ session: PreviousSession) {
            self.session = session
        }
    }

    let rules: SessionRules
    /// The session that goes on; changed in place, for every event changes it.
    var active: ActiveSession?
    /// The session before, while there is none.
    private var last: Last?
    var appState = AppState.launched

    /// Makes a machine without a session.
    init(rules: SessionRules, previous: PreviousSession? = nil) {
        self.rules = rules
        self.last = previous.map { Last($0) }
    }

    // MARK: - Facts

    /// The session now.
    var current: Session? {
        // Spelt out: the compiler (6.3.1) fails on the chain where it inlines this.
        guard let active = self.active else { return nil }
        return active.session
    }

    /// The session before, while there is none.
    var previous: PreviousSession? {
        self.last?.session
    }

    /// When to look whether the session has timed out, as uptime; nil when it cannot.
    ///
    /// - Parameter timeout: How long a session lives without an event.
    /// - Returns: That moment.
    func deadline(_ timeout: Duration) -> Duration? {
        guard self.canTimeOut, let active = self.active else { return nil }
        return active.last.uptime + timeout
    }

    private var canTimeOut: Bool {
        switch self.rules.tracking {
        case .manual: false
        case .automatic: self.rules.mode == .server || self.appState == .background
        }
    }

    // MARK: - Begin and end

    /// The installation is opened: what an earlier process left open ends first, then a session begins.
    ///
    /// - Parameters:
    ///   - interrupted: What an earlier process left open.
    ///   - begins: Whether a session begins.
    ///   - now: The time of the call.
    ///   - newID: Names a new session.
    /// - Returns: What to do.
    mutating func open(
        interrupted: SessionTotals?,
        begins: Bool,
        at now: SessionTimestamp,
        newID: () -> UUID
    ) -> [Action] {
        var actions: [Action] = []
        if let interrupted {
            actions.append(.end(interrupted, .launch))
            self.leave(PreviousSession(interrupted))
        }
        if begins { actions += self.begin(at: now, newID: newID) }
        return actions
    }

    /// The app begins a session by itself; nothing happens where there is one.
    mutating func begin(at now: SessionTimestamp, newID: () -> UUID) -> [Action] {
        guard self.active == nil else { return [] }
        let previous = self.previous
        let session = Session(uuid: newID(), startTime: Date(milliseconds: now.milliseconds))
        var active = ActiveSession(session, at: now)
        // One that begins in the background is no foreground time until the app comes to the foreground.
        if self.rules.mode == .application, self.appState == .background { active.extras.backgroundSince = now.uptime }
        self.active = active
        self.last = nil
        return [.begin(session, previous: previous)]
    }

    /// The app ends its session by itself, now; nothing happens where there is none.
    mutating func end(at now: SessionTimestamp, _ timeout: Duration) -> [Action] {
        let actions = self.timeOut(at: now, timeout)
        guard var active = self.active else { return actions }
        active.last = now
        return actions + [self.end(active, .app)]
    }

    private mutating func end(_ active: ActiveSession, _ reason: SessionChange.EndReason) -> Action {
        let tally = active.tally
        self.leave(PreviousSession(tally))
        return .end(tally, reason)
    }

    private mutating func leave(_ previous: PreviousSession?) {
        self.active = nil
        self.last = previous.map { Last($0) }
    }

    /// Looks whether the time is over.
    mutating func timeOut(at now: SessionTimestamp, _ timeout: Duration) -> [Action] {
        guard let active = self.active, self.canTimeOut, now.uptime - active.last.uptime >= timeout
        else { return [] }
        return [self.end(active, .timeout)]
    }

    /// The session that was to begin could not be written down: there is none.
    ///
    /// - Parameter previous: The session before, as the begin told of it.
    mutating func withdrawBegin(_ previous: PreviousSession?) {
        self.leave(previous)
    }

    // MARK: - Events

    /// Something happens that belongs to a session.
    ///
    /// - Parameters:
    ///   - now: The time of the call.
    ///   - timeout: How long a session lives without an event.
    ///   - begins: Whether it begins a session where there is none.
    ///   - newID: Names a new session.
    /// - Returns: What to do.
    mutating func activity(
        at now: SessionTimestamp,
        _ timeout: Duration,
        begins: Bool = true,
        newID: () -> UUID
    ) -> [Action] {
        let actions = self.timeOut(at: now, timeout)
        guard self.active == nil else {
            self.active?.last = now
            return actions
        }
        return begins ? actions + self.begin(at: now, newID: newID) : actions
    }

    /// Whether an event begins and ends nothing, as nearly all do; then `count` is all there is to do.
    func goesOn(at now: SessionTimestamp, _ timeout: Duration) -> Bool {
        guard let last = self.active?.last.uptime else { return false }
        return !self.canTimeOut || now.uptime - last < timeout
    }

    /// An event was logged.
    ///
    /// - Parameters:
    ///   - mpid: Whose.
    ///   - now: When.
    mutating func count(_ mpid: MPID?, at now: SessionTimestamp) {
        self.active?.count(mpid, at: now)
    }

    /// Says of a session that has just begun who is current, and what the configuration says.
    mutating func settle(_ mpid: MPID?, _ context: UInt16) {
        self.active?.context = context
        self.use(mpid)
    }

    /// Somebody is current from now on.
    mutating func use(_ mpid: MPID?) {
        if let mpid { self.active?.use(mpid) }
    }
}
