// SPDX-License-Identifier: Apache-2.0

import Signet

/// The sessions of an app's user, counted from moments of use.
struct InfobipSessions: Sendable, Hashable {
    /// One session, in milliseconds since 1970.
    struct Session: Sendable, Hashable {
        let start: Int64
        var end: Int64
        /// True if the service knows of the start.
        var isStartReported = false
    }

    /// A report to send to the service.
    struct Report: Sendable, Hashable {
        /// The starts of sessions.
        let starts: [Int64]
        /// The finished sessions.
        let finished: [Session]
    }

    /// The interval at which use is counted, and the minimum length of a session, in milliseconds.
    static let period: Int64 = 5000
    /// The time without use after which a session is over, in milliseconds.
    static let timeout: Int64 = 30_000

    var all: [Session] = []

    /// Counts a moment of use.
    mutating func tick(now: Int64) {
        if let last = self.all.last, now < last.end + Self.timeout, now >= last.start {
            self.all[self.all.count - 1].end = max(last.end, now)
        } else {
            self.all.append(Session(start: now, end: now + Self.period))
        }
    }

    /// The current session; nil if there is none.
    func current(now: Int64) -> Session? {
        self.all.last.flatMap { Self.isOver($0, now: now) ? nil : $0 }
    }

    /// The report to send; nil if there is nothing to report.
    func report(now: Int64) -> Report? {
        let starts = self.all.filter { !$0.isStartReported }.map(\.start)
        let finished = self.all.filter { Self.isOver($0, now: now) }
        return starts.isEmpty && finished.isEmpty ? nil : Report(starts: starts, finished: finished)
    }

    /// Marks a report as sent.
    mutating func reported(_ report: Report) {
        func isFinished(_ session: Session) -> Bool {
            report.finished.contains { $0.start == session.start && $0.end == session.end }
        }
        self.all.removeAll(where: isFinished)
        for index in self.all.indices where report.starts.contains(self.all[index].start) {
            self.all[index].isStartReported = true
        }
    }

    private static func isOver(_ session: Session, now: Int64) -> Bool {
        session.end <= now - Self.timeout
    }
}

/// The use of the app, and how much of its session is on disk.
enum InfobipUse: Sendable {
    case idle
    /// The session is persisted up to this end, in milliseconds since 1970.
    case active(persistedUntil: Int64)

    /// The most of a session that a dying process loses, in milliseconds; to persist each count would cost more.
    private static let step: Int64 = 30_000

    /// Begins.
    init(after sessions: InfobipSessions) {
        self = .active(persistedUntil: sessions.all.last?.end ?? 0)
    }

    /// Counts further use.
    ///
    /// - Parameters:
    ///   - sessions: The sessions of the person.
    ///   - now: The wall clock in milliseconds.
    /// - Returns: True if they are to be persisted: at the start of a session, and then in steps.
    mutating func count(_ sessions: inout InfobipSessions, now: Int64) -> Bool {
        guard case .active(let persisted) = self else { return false }
        let before = sessions.all.last?.start
        sessions.tick(now: now)
        guard let last = sessions.all.last, last.start != before || last.end >= persisted + Self.step else {
            return false
        }
        self = .active(persistedUntil: last.end)
        return true
    }
}
