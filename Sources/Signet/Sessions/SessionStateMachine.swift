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

/// Decides when a session begins and ends.
///
/// Runs under the lock of its installation; asks no clock.
struct SessionStateMachine: Sendable {
    /// A session that has ended.
    struct Ended: Sendable, Hashable {
        let session: Session
        /// When it ended, by its last activity, in milliseconds since 1970.
        let milliseconds: Int64
        /// From its begin to its last activity.
        let length: Duration
    }

    /// What to do, in this order.
    enum Action: Sendable, Hashable {
        case end(Ended)
        case begin(Session)
    }

    private struct Active: Sendable {
        let session: Session
        let begun: SessionMoment
        var last: SessionMoment

        var length: Duration {
            self.last.uptime - self.begun.uptime
        }
    }

    private enum State: Sendable {
        /// There is no session. Can transition to `active`.
        case none
        /// There is one. Can transition to `none`, or to `active` with the next one.
        case active(Active)
    }

    private let mode: SignetConfiguration.Sessions.Mode
    private let timeout: Duration
    private var state = State.none
    private var isInBackground = false

    /// Makes a machine without a session.
    init(mode: SignetConfiguration.Sessions.Mode, timeout: Duration) {
        self.mode = mode
        self.timeout = timeout
    }

    /// The session now.
    var current: Session? {
        switch self.state {
        case .none: nil
        case .active(let active): active.session
        }
    }

    /// The session now, as it is to be written down.
    var stored: StoredSession? {
        switch self.state {
        case .none: nil
        case .active(let active):
            StoredSession(session: active.session, lastActivity: active.last.milliseconds, length: active.length)
        }
    }

    /// From its begin to its last activity; nil without a session.
    var length: Duration? {
        switch self.state {
        case .none: nil
        case .active(let active): active.length
        }
    }

    /// When to look whether the session has timed out, as uptime; nil when it cannot.
    var deadline: Duration? {
        switch self.state {
        case .none: nil
        case .active(let active): self.canTimeOut ? active.last.uptime + self.timeout : nil
        }
    }

    /// The installation is opened: what an earlier process left open ends first, then a session begins.
    ///
    /// - Parameters:
    ///   - leftOpen: What the disk remembers.
    ///   - now: The time of the call.
    ///   - newID: Names a new session.
    /// - Returns: What to do.
    mutating func open(leftOpen: StoredSession?, at now: SessionMoment, newID: () -> UUID) -> [Action] {
        var actions: [Action] = []
        if let leftOpen {
            actions.append(
                .end(
                    Ended(
                        session: leftOpen.session,
                        milliseconds: leftOpen.lastActivity,
                        length: leftOpen.length
                    )
                )
            )
        }
        return actions + self.activity(at: now, newID: newID)
    }

    /// Something happens that belongs to a session.
    ///
    /// - Parameters:
    ///   - now: The time of the call.
    ///   - begins: Whether it begins a session where there is none.
    ///   - newID: Names a new session.
    /// - Returns: What to do.
    mutating func activity(at now: SessionMoment, begins: Bool = true, newID: () -> UUID) -> [Action] {
        var actions = self.timeOut(at: now)
        switch self.state {
        case .none:
            guard begins else { break }
            let session = Session(uuid: newID(), startTime: Date(milliseconds: now.milliseconds))
            self.state = .active(Active(session: session, begun: now, last: now))
            actions.append(.begin(session))
        case .active(var active):
            active.last = now
            self.state = .active(active)
        }
        return actions
    }

    /// The same, for the many events that begin and end nothing.
    ///
    /// - Returns: Whether that was all; if not, nothing has changed, and `activity` says what to do.
    mutating func goOn(at now: SessionMoment) -> Bool {
        guard case .active(var active) = self.state else { return false }
        guard !self.canTimeOut || now.uptime - active.last.uptime < self.timeout else { return false }
        active.last = now
        self.state = .active(active)
        return true
    }

    /// The app goes to the background: from now on the session can time out.
    mutating func enterBackground(at now: SessionMoment) -> [Action] {
        let actions = self.timeOut(at: now)
        // Told twice: the timeout counts from the first time, or from the last event since.
        guard !self.isInBackground else { return actions }
        self.isInBackground = true
        if case .active(var active) = self.state {
            active.last = now
            self.state = .active(active)
        }
        return actions
    }

    /// The app comes to the foreground: the session goes on if its time is not over, else the next one begins.
    mutating func enterForeground(at now: SessionMoment, newID: () -> UUID) -> [Action] {
        let actions = self.timeOut(at: now)
        self.isInBackground = false
        return actions + self.activity(at: now, newID: newID)
    }

    /// Looks whether the time is over.
    mutating func timeOut(at now: SessionMoment) -> [Action] {
        switch self.state {
        case .none:
            return []
        case .active(let active):
            guard self.canTimeOut, now.uptime - active.last.uptime >= self.timeout else { return [] }
            self.state = .none
            return [
                .end(
                    Ended(
                        session: active.session,
                        milliseconds: active.last.milliseconds,
                        length: active.length
                    )
                )
            ]
        }
    }

    /// The session that was to begin could not be written down: there is none.
    mutating func withdrawBegin() {
        self.state = .none
    }

    private var canTimeOut: Bool {
        self.mode == .server || self.isInBackground
    }
}
