// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// The activity of an installation that the shared store was not told of, by session.
struct UntoldActivity: Sendable, Hashable {
    /// One for each session, in the order of their first events.
    private(set) var all: [LocalActivity] = []
    /// The activity that flushes have taken and have no answer for: a reading may lack it.
    private(set) var inFlight: [LocalActivity] = []
    /// The number of times that a flush has taken some.
    private var flushes = 0
    /// The events that ends have counted while a flush had them, by session: they are not late when its answer says so.
    private var counted: [UUID: Int] = [:]

    var isEmpty: Bool {
        self.all.isEmpty
    }

    /// Notes events of a session.
    ///
    /// - Returns: True if there was no activity before.
    @inline(__always)
    mutating func note(_ events: Int, in session: Session, at milliseconds: Int64) -> Bool {
        let last = self.all.count - 1
        guard last >= 0, self.all[last].session == session.uuid else {
            return self.noteOther(events, in: session, at: milliseconds)
        }
        self.add(events, to: last, at: milliseconds)
        return false
    }

    private mutating func noteOther(_ events: Int, in session: Session, at milliseconds: Int64) -> Bool {
        if let index = self.all.firstIndex(where: { $0.session == session.uuid }) {
            self.add(events, to: index, at: milliseconds)
            return false
        }
        let started = session.startTime.milliseconds
        self.all.append(LocalActivity(session: session.uuid, started: started, last: milliseconds, events: events))
        return self.all.count == 1
    }

    @inline(__always)
    private mutating func add(_ events: Int, to index: Int, at milliseconds: Int64) {
        self.all[index].events += events
        self.all[index].last = max(self.all[index].last, milliseconds)
    }

    /// The number of events of a session.
    func events(in session: UUID?) -> Int {
        self.all.first { $0.session == session }?.events ?? 0
    }

    /// Takes all, for a flush; it is in flight until ``answered(_:)``.
    mutating func take() -> [LocalActivity] {
        defer { self.all = [] }
        if !self.all.isEmpty { self.flushes += 1 }
        for activity in self.all { self.inFlight.add(activity) }
        return self.all
    }

    /// Notes that a flush has an answer for activity of a session, or that nothing more is done for it.
    ///
    /// Activity of the session that later flushes have taken stays in flight: its last event is a later one.
    mutating func answered(_ activity: LocalActivity) {
        self.inFlight.removeAll { $0.session == activity.session && $0.last <= activity.last }
    }

    /// The activity that a reading may lack: with the numbers of events that no flush has taken, and the last events of all.
    ///
    /// - Parameter others: The same of other objects of the installation.
    /// - Returns: The activity, one for each session.
    func missing(and others: [LocalActivity] = []) -> [LocalActivity] {
        guard !self.inFlight.isEmpty || !others.isEmpty else { return self.all }
        var missing = self.all
        for other in self.inFlight + others { missing.add(other.withoutCount) }
        return missing
    }

    /// Notes a committed end or begin of sessions; if a flush has taken the activity meanwhile, its answer finds no session.
    ///
    /// The events of a session that is open from now on stay: its begin has told none, and a flush tells each once.
    ///
    /// - Parameters:
    ///   - drafted: The activity that the draft of the commit has seen.
    ///   - ended: The sessions whose ends have counted that activity.
    ///   - begun: The events that a session was begun for; nil for none.
    ///   - open: The session of the row from now on; nil for none.
    mutating func commit(_ drafted: UntoldActivity, ended: Set<UUID>, begun: LocalActivity?, open: UUID?) {
        var over = drafted.all.filter { ended.contains($0.session) }
        // Begun and left at once, as by an opt-out.
        if let begun, begun.session != open, !ended.contains(begun.session) { over.append(begun) }
        for activity in over {
            if drafted.flushes == self.flushes {
                self.told(activity)
            } else {
                self.counted[activity.session, default: 0] += activity.events
            }
        }
    }

    /// Takes the number of events of a session that its end has counted while a flush had them.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - limit: The number of events of the flush; the rest is of another one.
    /// - Returns: The number; at most the limit.
    mutating func takeCounted(in session: UUID, upTo limit: Int) -> Int {
        guard let counted = self.counted.removeValue(forKey: session) else { return 0 }
        if counted > limit { self.counted[session] = counted - limit }
        return min(counted, limit)
    }

    /// Takes back what a flush could not tell: it is of before the rest.
    mutating func giveBack(_ activity: LocalActivity) {
        if let index = self.all.firstIndex(where: { $0.session == activity.session }) {
            self.all[index].add(activity)
        } else {
            self.all.insert(activity, at: 0)
        }
    }

    /// Notes that the row has these events of a session; those that came since are still untold.
    private mutating func told(_ activity: LocalActivity) {
        guard let index = self.all.firstIndex(where: { $0.session == activity.session }) else { return }
        self.all[index].events -= activity.events
        if self.all[index].events <= 0 { self.all.remove(at: index) }
    }
}

extension [LocalActivity] {
    /// Adds activity of a session.
    fileprivate mutating func add(_ activity: LocalActivity) {
        if let index = self.firstIndex(where: { $0.session == activity.session }) {
            self[index].add(activity)
        } else {
            self.append(activity)
        }
    }
}

extension InstallationTransaction {
    /// The number of events that it logs in a session, and that a flush tells.
    func untold(in session: UUID) -> Int {
        self.steps.reduce(0) { sum, step in
            guard let untold = step.untold, untold.session.uuid == session else { return sum }
            return sum + untold.events
        }
    }
}

extension InstallationTransaction.Step {
    /// The open session, and the number of events that it gets with this step; nil for none.
    var untold: (session: Session, events: Int)? {
        let events = self.writes.count { write in
            if case .event(let frame) = write { frame.isOfItsSession } else { false }
        }
        guard events > 0, let session = self.after.sessions.current else { return nil }
        return (session, events)
    }
}

extension EventFrame {
    /// True for an event that counts for its session: not its begin or end.
    fileprivate var isOfItsSession: Bool {
        self.stamp.timestamp.session != nil && self.stamp.role == .regular
    }
}
