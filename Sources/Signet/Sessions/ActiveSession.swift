// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// A session in progress.
///
/// There may be a million of them, so the fields that few sessions need are stored apart.
struct ActiveSession: Sendable {
    /// Fields that only apps with a background and sessions with attributes need.
    struct Extras: DefaultInitializable {
        /// The time that the app spent in the background, without the current stay.
        var background = Duration.zero
        /// The uptime at which the app went to the background; nil while it is not there.
        var backgroundSince: Duration?
        /// The number of times that the app went to the background.
        var interruptions = 0
        /// The session attributes that the app set.
        var attributes: [String: AttributeValue] = [:]
        /// The users who were current after the first one, in order; returning users repeat.
        fileprivate(set) var laterUsers: [MPID] = []
    }

    /// The users who were current in the session.
    private enum Users {
        case none
        case one(MPID)
        /// Others followed the first; they are stored apart.
        case several(first: MPID)

        var first: MPID? {
            switch self {
            case .none: nil
            case .one(let mpid), .several(let mpid): mpid
            }
        }
    }

    let session: Session
    /// The uptime at which the session began.
    let begun: Duration
    /// The time of the last event.
    var last: SessionTimestamp
    /// The number of events, without the session's begin.
    var events = 0
    /// The number of the configuration context at the begin; see ``BatchContexts``.
    var context: UInt16 = 0
    private var users = Users.none
    private var rare = Box<Extras>()

    /// Begins a session.
    init(_ session: Session, at now: SessionTimestamp) {
        self.session = session
        self.begun = now.uptime
        self.last = now
    }

    /// Resumes a session that an earlier process left open.
    ///
    /// - Parameters:
    ///   - totals: The session as of its last event.
    ///   - now: The time; the wall clock says how long ago the last event was.
    init(resuming totals: SessionTotals, at now: SessionTimestamp) {
        let elapsed = max(0, now.milliseconds.subtractingSaturated(totals.lastMilliseconds))
        self.session = totals.session
        self.last = SessionTimestamp(
            uptime: now.uptime - .milliseconds(elapsed),
            milliseconds: totals.lastMilliseconds
        )
        self.begun = self.last.uptime - totals.length
        self.events = totals.events
        self.context = totals.context
        for mpid in totals.mpids { self.use(mpid) }
        if totals.hasExtras {
            self.extras.background = totals.background
            self.extras.backgroundSince = totals.backgroundFrom.map { self.begun + $0 }
            self.extras.interruptions = totals.interruptions
            self.extras.attributes = totals.attributes
        }
    }

    private var laterUsers: [MPID] {
        get { self.rare.value.laterUsers }
        set { self.rare.value.laterUsers = newValue }
    }

    /// The fields that few sessions need.
    var extras: Extras {
        get { self.rare.value }
        set { self.rare.value = newValue }
    }

    /// The totals as of the last event.
    var totals: SessionTotals {
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
            mpids: (self.users.first.map { [$0] } ?? []) + extras.laterUsers,
            attributes: extras.attributes
        )
    }

    /// Counts an event, of this user if there is one.
    @inline(__always)
    mutating func count(_ mpid: MPID?, at now: SessionTimestamp) {
        self.last = now
        self.events += 1
        if let mpid { self.use(mpid) }
    }

    /// Adds a current user.
    @inline(__always)
    mutating func use(_ mpid: MPID) {
        // Most sessions have one user; then the fields stored apart are not read.
        if case .one(let user) = self.users, user == mpid { return }
        self.useLater(mpid)
    }

    /// Removes an erased user; if the session had no other user, its attributes are removed too.
    mutating func forget(_ mpid: MPID) {
        let users = (self.users.first.map { [$0] } ?? []) + self.laterUsers
        guard users.contains(mpid) else { return }
        let others = users.without(mpid)
        self.users = others.first.map { others.count > 1 ? .several(first: $0) : .one($0) } ?? .none
        self.laterUsers = Array(others.dropFirst())
        if others.isEmpty { self.extras.attributes = [:] }
    }

    private mutating func useLater(_ mpid: MPID) {
        guard let firstUser = self.users.first else {
            self.users = .one(mpid)
            return
        }
        let later = self.laterUsers
        guard mpid != later.last ?? firstUser else { return }
        let isFull = later.count + 1 >= SessionTotals.returnLimit
        guard !isFull || mpid != firstUser && !later.contains(mpid) else { return }
        self.laterUsers.append(mpid)
        self.users = .several(first: firstUser)
    }
}
