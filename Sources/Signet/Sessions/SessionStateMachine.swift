// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

/// Decides when a session begins and ends, and keeps its totals.
///
/// Runs under the lock of its installation and reads no clock.
struct SessionStateMachine: Sendable {
    /// An action for the caller; actions are performed in order.
    enum Action: Sendable, Hashable {
        case end(SessionTotals, SessionChange.EndReason)
        case begin(Session, previous: PreviousSession?)
        /// Reports a change of the app's state, if such reports are configured.
        case tell(ApplicationStateTransition.Kind)
    }

    /// The state of the app, as far as it has reported it.
    enum AppState: Sendable {
        /// The app was launched and has not reported a state since. Can transition to `foreground` or `background`.
        case launched
        /// The app came to the foreground. Can transition to `background`.
        case foreground
        /// The app went to the background, or has ended. Can transition to `foreground`.
        case background
    }

    /// The previous session, stored apart because most sessions are the first one.
    private final class Last: Sendable {
        let session: PreviousSession

        init(_ session: PreviousSession) {
            self.session = session
        }
    }

    let rules: SessionRules
    /// The session in progress; changed in place, because every event changes it.
    var active: ActiveSession?
    /// The previous session, while there is no current one.
    private var last: Last?
    var appState = AppState.launched

    /// Makes a machine without a session.
    init(rules: SessionRules, previous: PreviousSession? = nil) {
        self.rules = rules
        self.last = previous.map { Last($0) }
    }

    // MARK: - Facts

    /// The current session.
    var current: Session? {
        // Spelt out: the compiler (6.3.1) fails on the chain where it inlines this.
        guard let active = self.active else { return nil }
        return active.session
    }

    /// The previous session, while there is no current one.
    var previous: PreviousSession? {
        self.last?.session
    }

    /// Computes the uptime at which the session may time out; nil if it cannot.
    ///
    /// - Parameter timeout: The time that a session lives without an event.
    /// - Returns: The deadline as uptime.
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

    /// The fate of a session that an earlier process left open.
    enum LeftOpenVerdict: Sendable, Hashable {
        /// It is not over yet: a visitor who returns continues it.
        case isOpen(until: Int64)
        /// It is over, with its last event.
        case ends(SessionChange.EndReason)
    }

    /// Decides about a session that an earlier process left open, by the wall clock: a session lives `timeout` after its last event.
    ///
    /// - Parameters:
    ///   - totals: The session.
    ///   - milliseconds: The time, in milliseconds since 1970.
    ///   - timeout: The time that a session lives without an event.
    ///   - hasWaited: True if it was left alone for a timeout, whatever the wall clock says.
    /// - Returns: The verdict; the end of an open session in milliseconds since 1970.
    func verdict(
        onLeftOpen totals: SessionTotals,
        at milliseconds: Int64,
        _ timeout: Duration,
        hasWaited: Bool = false
    ) -> LeftOpenVerdict {
        let end = totals.lastMilliseconds.addingSaturated(timeout.milliseconds)
        guard end <= milliseconds || hasWaited else { return .isOpen(until: end) }
        return .ends(self.rules.mode == .server ? .timeout : .launch)
    }

    /// Takes over a session that an earlier process left open, at an open or a call of the app.
    ///
    /// On a server the session goes on unless it is over. In an application the launch ends it (the vendors' SDKs).
    ///
    /// - Parameters:
    ///   - totals: The session.
    ///   - now: The time of the call.
    ///   - timeout: The time that a session lives without an event.
    /// - Returns: The actions to perform.
    mutating func takeOver(
        _ totals: SessionTotals,
        at now: SessionTimestamp,
        _ timeout: Duration
    ) -> [Action] {
        switch self.verdict(onLeftOpen: totals, at: now.milliseconds, timeout) {
        case .isOpen where self.rules.mode == .server:
            self.active = ActiveSession(resuming: totals, at: now)
            self.last = nil
            return []
        case .isOpen: return self.end(leftOpen: totals, .launch)
        case .ends(let reason): return self.end(leftOpen: totals, reason)
        }
    }

    /// Ends a session that an earlier process left open.
    mutating func end(leftOpen totals: SessionTotals, _ reason: SessionChange.EndReason) -> [Action] {
        self.leave(PreviousSession(totals))
        return [.end(totals, reason)]
    }

    /// Begins a session at the app's call; does nothing if there is one.
    mutating func begin(at now: SessionTimestamp, newID: () -> UUID) -> [Action] {
        guard self.active == nil else { return [] }
        let previous = self.previous
        let session = Session(uuid: newID(), startTime: Date(milliseconds: now.milliseconds))
        var active = ActiveSession(session, at: now)
        // A session that begins in the background has no foreground time until the app comes to the foreground.
        if self.rules.mode == .application, self.appState == .background { active.extras.backgroundSince = now.uptime }
        self.active = active
        self.last = nil
        return [.begin(session, previous: previous)]
    }

    /// Ends the session at the app's call; does nothing if there is none.
    mutating func end(at now: SessionTimestamp, _ timeout: Duration) -> [Action] {
        let actions = self.timeOut(at: now, timeout)
        guard var active = self.active else { return actions }
        active.last = now
        return actions + [self.end(active, .app)]
    }

    private mutating func end(_ active: ActiveSession, _ reason: SessionChange.EndReason) -> Action {
        let totals = active.totals
        self.leave(PreviousSession(totals))
        return .end(totals, reason)
    }

    private mutating func leave(_ previous: PreviousSession?) {
        self.active = nil
        self.last = previous.map { Last($0) }
    }

    /// Ends the session if it has timed out.
    mutating func timeOut(at now: SessionTimestamp, _ timeout: Duration) -> [Action] {
        guard let active = self.active, self.canTimeOut, now.uptime - active.last.uptime >= timeout
        else { return [] }
        return [self.end(active, .timeout)]
    }

    /// Removes the session without an end, as the installation opts out; the app's state stays.
    ///
    /// - Parameter previous: The session that counts as the one before the next.
    mutating func drop(after previous: PreviousSession?) {
        self.leave(previous)
    }

    /// Removes a session whose begin could not be persisted.
    ///
    /// - Parameter previous: The previous session, from the action of the begin.
    mutating func withdrawBegin(_ previous: PreviousSession?) {
        self.leave(previous)
    }

    // MARK: - Events

    /// Records an activity that belongs to a session.
    ///
    /// - Parameters:
    ///   - now: The time of the call.
    ///   - timeout: The time that a session lives without an event.
    ///   - begins: True if the activity begins a session where there is none.
    ///   - newID: Makes the id of a new session.
    /// - Returns: The actions to perform.
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

    /// True if an event neither begins nor ends a session, as nearly all do; then `count` alone is enough.
    func goesOn(at now: SessionTimestamp, _ timeout: Duration) -> Bool {
        guard let last = self.active?.last.uptime else { return false }
        return !self.canTimeOut || now.uptime - last < timeout
    }

    /// Counts a logged event.
    ///
    /// - Parameters:
    ///   - mpid: The event's user; nil if there is none.
    ///   - now: The time of the event.
    mutating func count(_ mpid: MPID?, at now: SessionTimestamp) {
        self.active?.count(mpid, at: now)
    }

    /// Sets the current user and the configuration context of a session that has just begun.
    mutating func settle(_ mpid: MPID?, _ context: UInt16) {
        self.active?.context = context
        self.use(mpid)
    }

    /// Adds a current user to the session.
    mutating func use(_ mpid: MPID?) {
        if let mpid { self.active?.use(mpid) }
    }
}

extension SignetError {
    /// The call needs a session.
    static let noSession = SignetError(
        .noSession,
        "The installation has no open session. Call `beginSession()`, or log an event that begins one."
    )
}
