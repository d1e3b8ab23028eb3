//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// A session that goes on.
///
/// There may be a million of them: what few have lies apart.
struct ActiveSession: Sendable {
    /// What only apps with a background, and those that say something of their sessions, have.
    struct Extras: DefaultInitializable {
        /// How long the app was in the background, without the last time if that still goes on.
        var background = Duration.zero
        /// When the app went to the background, as uptime, if it is there still.
        var backgroundSince: Duration?
        /// How often it did.
        var interruptions = 0
        /// What the app said of the session.
        var attributes: [String: AttributeValue] = [:]
        /// Who was current after the first user, in their order; who comes back is named again.
        fileprivate(set) var laterUsers: [MPID] = []
    }

    /// Which session.
    let session: Session
    /// When it began, as uptime.
    let begun: Duration
    /// Its last event.
    var last: SessionTimestamp
    /// How many events there were, without its begin.
    var events = 0
    /// The number of what the configuration said when it began; see ``BatchContexts``.
    var context: UInt16 = 0
    private var firstUser: MPID?
    private var hasLaterUsers = false
    private var rare = Box<Extras>()

    /// Begins.
    init(_ session: Session, at now: SessionTimestamp) {
        self.session = session
        self.begun = now.uptime
        self.last = now
    }

    private var laterUsers: [MPID] {
        get { self.rare.value.laterUsers }
        set { self.rare.value.laterUsers = newValue }
    }

    /// What few sessions have.
    var extras: Extras {
        get { self.rare.value }
        set { self.rare.value = newValue }
    }

    /// Its accounts as of its last event.
    var tally: SessionTotals {
        let extras = self.extras
        return SessionTotals(
            session: self.session,
            context: self.context,
            lastMilliseconds: self.last.milliseconds,
            length: self.last.uptime - self.begun,
            background: extras.background,
            backgroundFrom: extras.backgroundSince.map { max(.zero, $0 - self.begun) },
            interruptions: extras.interruptions,
            events: self.events,
            mpids: (self.firstUser.map { [$0] } ?? []) + extras.laterUsers,
            attributes: extras.attributes
        )
    }

    /// There was an event of somebody.
    @inline(__always)
    mutating func count(_ mpid: MPID?, at now: SessionTimestamp) {
        self.last = now
        self.events += 1
        if let mpid { self.use(mpid) }
    }

    /// Somebody is current in it.
    @inline(__always)
    mutating func use(_ mpid: MPID) {
        // Mostly there is one user, and nothing that lies apart is looked at.
        guard mpid != self.firstUser || self.hasLaterUsers else { return }
        self.useLater(mpid)
    }

    /// Somebody is erased; what the app said of a session of theirs alone goes too.
    mutating func forget(_ mpid: MPID) {
        let users = (self.firstUser.map { [$0] } ?? []) + self.laterUsers
        guard users.contains(mpid) else { return }
        let others = users.without(mpid)
        self.firstUser = others.first
        self.laterUsers = Array(others.dropFirst())
        self.hasLaterUsers = others.count > 1
        if others.isEmpty { self.extras.attributes = [:] }
    }

    private mutating func useLater(_ mpid: MPID) {
        guard let firstUser = self.firstUser else {
            self.firstUser = mpid
            return
        }
        let later = self.laterUsers
        guard mpid != later.last ?? firstUser else { return }
        let isFull = later.count + 1 >= SessionTotals.returnLimit
        guard !isFull || mpid != firstUser && !later.contains(mpid) else { return }
        self.laterUsers.append(mpid)
        self.hasLaterUsers = true
    }
}
