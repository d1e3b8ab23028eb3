//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The sessions of the user of an app, counted by moments at which it was in use.
struct InfobipSessions: Sendable, Hashable {
    /// One of them, in milliseconds since 1970.
    struct Session: Sendable, Hashable {
        let start: Int64
        var end: Int64
        /// Whether the service knows that it began.
        var isStartReported = false
    }

    /// What the service is to be told.
    struct Report: Sendable, Hashable {
        /// When sessions began.
        let starts: [Int64]
        /// Those that are over.
        let finished: [Session]
    }

    /// How often it is to be told that the app is in use; also how long a session is at least.
    static let period: Int64 = 5000
    /// How long the app is not in use until a session is over.
    static let timeout: Int64 = 30_000

    var all: [Session] = []
    /// Those of whoever is to go: they are over.
    var left: [Session] = []

    /// Whoever uses the app goes: what comes is another session.
    mutating func leave() {
        self.left += self.all
        self.all = []
    }

    /// The app is in use.
    mutating func tick(now: Int64) {
        if let last = self.all.last, now < last.end + Self.timeout, now >= last.start {
            self.all[self.all.count - 1].end = max(last.end, now)
        } else {
            self.all.append(Session(start: now, end: now + Self.period))
        }
    }

    /// The session now; nil for none.
    func current(now: Int64) -> Session? {
        self.all.last.flatMap { Self.isOver($0, now: now) ? nil : $0 }
    }

    /// What the service is to be told; nil for nothing.
    func report(now: Int64) -> Report? {
        let starts = (self.left + self.all).filter { !$0.isStartReported }.map(\.start)
        let finished = self.left + self.all.filter { Self.isOver($0, now: now) }
        return starts.isEmpty && finished.isEmpty ? nil : Report(starts: starts, finished: finished)
    }

    /// What the service is to be told of whoever is to go; nil for nothing.
    var farewell: Report? {
        guard !self.left.isEmpty else { return nil }
        return Report(starts: self.left.filter { !$0.isStartReported }.map(\.start), finished: self.left)
    }

    /// The service has been told.
    mutating func reported(_ report: Report) {
        func isFinished(_ session: Session) -> Bool {
            report.finished.contains { $0.start == session.start && $0.end == session.end }
        }
        self.all.removeAll(where: isFinished)
        self.left.removeAll(where: isFinished)
        for index in self.left.indices where report.starts.contains(self.left[index].start) {
            self.left[index].isStartReported = true
        }
        for index in self.all.indices where report.starts.contains(self.all[index].start) {
            self.all[index].isStartReported = true
        }
    }

    private static func isOver(_ session: Session, now: Int64) -> Bool {
        session.end <= now - Self.timeout
    }
}
