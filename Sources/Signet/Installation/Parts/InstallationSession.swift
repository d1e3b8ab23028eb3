// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

/// The session of an installation, with the session that an earlier process left open.
///
/// The session machine decides when a session begins and ends; a ``SessionTransition`` writes that. This value keeps what must change
/// together: the machine, the members that events repeat, and the watch over the deadline.
struct InstallationSession: Sendable {
    /// A move of the session machine: the machine, the time, the timeout.
    typealias Move = (inout SessionStateMachine, SessionTimestamp, Duration) -> [SessionStateMachine.Action]
    /// The session machine after a move, and the decisions to write.
    typealias Moved = (next: SessionStateMachine, actions: [SessionStateMachine.Action])

    /// Decides when a session begins and ends.
    private(set) var machine: SessionStateMachine
    /// The members of the session that each event repeats; nil without a session.
    private(set) var members: SessionMembers?
    private var leftOpen: LeftOpen?
    /// True while a deadline of the session is watched.
    private var isWatched = false

    /// Restores the session part of an installation.
    ///
    /// - Parameters:
    ///   - machine: The session machine, which knows the previous session.
    ///   - interrupted: The session that an earlier process left open.
    init(_ machine: SessionStateMachine, interrupted: SessionTotals?) {
        self.machine = machine
        self.leftOpen = interrupted.map { LeftOpen($0) }
    }

    // MARK: - Facts

    /// The session that an earlier process left open, until its end is written.
    var interrupted: SessionTotals? {
        self.leftOpen?.totals
    }

    /// The totals of the open session, or of the one that an earlier process left open.
    var totals: SessionTotals? {
        self.machine.totals ?? self.interrupted
    }

    /// The session record.
    var record: SessionRecord {
        let open = self.totals
        return SessionRecord(folded: 0, open: open, isBegun: open != nil, previous: self.machine.previous)
    }

    /// True if an event of now belongs to the session, and changes nothing but its counts.
    @inline(__always)
    func continues(at now: SessionTimestamp, _ timeout: Duration) -> Bool {
        self.leftOpen == nil && self.machine.goesOn(at: now, timeout)
    }

    /// True if the session record names a user.
    func names(_ mpid: MPID) -> Bool {
        self.totals?.mpids.contains(mpid) ?? false
    }

    /// The attributes of the session; nil if there is none, or if it is over and has no end yet.
    func attributes(at moment: InstallationMoment) -> [String: AttributeValue]? {
        self.isAlive(at: moment) ? self.machine.attributes : nil
    }

    private func isAlive(at moment: InstallationMoment) -> Bool {
        self.machine.goesOn(at: moment.now, moment.timeout)
    }

    // MARK: - Moves

    /// Computes a move.
    func moved(_ move: (inout SessionStateMachine) -> [SessionStateMachine.Action]) -> Moved {
        var next = self.machine
        let actions = move(&next)
        return (next, actions)
    }

    /// Computes a move, after a session that an earlier process left open was continued or ended.
    func moved(at moment: InstallationMoment, by move: Move) -> Moved {
        self.moved { next in
            let actions = self.interrupted.map { next.takeOver($0, at: moment.now, moment.timeout) }
            // Events of this process are sent under its configuration.
            if actions != nil { next.settle(nil, moment.context) }
            return (actions ?? []) + move(&next, moment.now, moment.timeout)
        }
    }

    /// Computes the end of a session that is over.
    func timedOut(at moment: InstallationMoment) -> Moved {
        self.moved { $0.timeOut(at: moment.now, moment.timeout) }
    }

    /// Sets the session machine, and the members that events repeat.
    mutating func set(_ machine: SessionStateMachine) {
        self.machine = machine
        // It goes on, or another one has begun after its end.
        if machine.current != nil { self.leftOpen = nil }
        self.members = machine.current.map { SessionMembers($0) }
    }

    /// Sets the session machine after the end of a session, which was perhaps the one that an earlier process left open.
    mutating func end(_ machine: SessionStateMachine) {
        self.leftOpen = nil
        self.set(machine)
    }

    /// Removes the session that an earlier process left open, without an end.
    mutating func dropLeftOpen() {
        self.leftOpen = nil
    }

    /// Removes the session without an end, also one that an earlier process left open, as the installation opts out.
    ///
    /// - Parameter previous: The session that counts as the one before the next; nil for none.
    mutating func drop(after previous: PreviousSession? = nil) {
        var next = self.machine
        next.drop(after: previous)
        self.end(next)
    }

    // MARK: - Facts that change in the open session

    /// Counts an event of the session.
    @inline(__always)
    mutating func count(_ mpid: MPID?, at now: SessionTimestamp) {
        self.machine.count(mpid, at: now)
    }

    /// Sets the attributes of the session.
    mutating func setAttributes(_ attributes: [String: AttributeValue]) {
        self.machine.attributes = attributes
    }

    /// Counts the current user among those of the session.
    ///
    /// - Returns: True if the session did not have them.
    mutating func note(_ mpid: MPID?, at moment: InstallationMoment) -> Bool {
        let before = self.machine.totals?.mpids
        guard before?.isEmpty == true || self.isAlive(at: moment) else { return false }
        self.machine.use(mpid)
        return self.machine.totals?.mpids != before
    }

    /// Removes an erased user from both sessions.
    mutating func forget(_ mpid: MPID) {
        self.machine.forget(mpid)
        guard var totals = self.interrupted else { return }
        totals.forget(mpid)
        self.leftOpen = LeftOpen(totals)
    }

    // MARK: - The deadline

    /// Begins to watch the deadline.
    ///
    /// - Returns: The deadline as uptime; nil if there is none, or if it is watched already.
    mutating func watch(_ timeout: Duration) -> Duration? {
        guard !self.isWatched, let deadline = self.machine.deadline(timeout) else { return nil }
        self.isWatched = true
        return deadline
    }

    /// Notes whether the deadline stays watched.
    mutating func setWatched(_ isWatched: Bool) {
        self.isWatched = isWatched
    }
}

/// A session that an earlier process left open; apart, because few installations have one.
private final class LeftOpen: Sendable {
    let totals: SessionTotals

    init(_ totals: SessionTotals) {
        self.totals = totals
    }
}
