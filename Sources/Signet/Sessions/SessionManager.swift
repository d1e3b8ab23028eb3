//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

/// Ends sessions when their time is over: one deadline structure, one sleep, for all installations of a runtime.
///
/// A holder is kept in memory while its session can time out. `log` never comes here: a deadline that has moved on is
/// found when the old one is due.
actor SessionManager {
    private let time: TimeSource
    private let wakeup = Wakeup()
    private struct Arrivals {
        var list: [(holder: any SessionHolder, deadline: Duration)] = []
        var isClosed = false
    }

    private let arrivals = Locked(Arrivals())
    private var deadlines = DeadlineQueue<any SessionHolder>()

    init(time: TimeSource) {
        self.time = time
    }

    /// Watches a session that can time out.
    ///
    /// From any thread; before `run()` it waits for it.
    ///
    /// - Parameters:
    ///   - holder: Who has the session.
    ///   - deadline: When to look, as uptime.
    nonisolated func watch(_ holder: any SessionHolder, until deadline: Duration) {
        self.arrivals.withLock { arrivals in
            if !arrivals.isClosed { arrivals.list.append((holder, deadline)) }
        }
        self.wakeup.signal()
    }

    /// Watches nothing any more and lets all holders go: they hold this, too.
    nonisolated func close() {
        let list = self.arrivals.withLock { arrivals in
            arrivals.isClosed = true
            defer { arrivals.list = [] }
            return arrivals.list
        }
        withExtendedLifetime(list) {}
    }

    /// Ends sessions as their time comes, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let arrivals = self.arrivals.withLock { arrivals in
                defer { arrivals.list = [] }
                return arrivals.list
            }
            for arrival in arrivals { self.deadlines.insert(arrival.holder, at: arrival.deadline) }
            while let holder = self.deadlines.popDue(at: self.time.uptime) {
                if let next = holder.timeOutSession() { self.deadlines.insert(holder, at: next) }
            }
            await self.wakeup.wait(until: self.deadlines.first, on: self.time)
        }
        self.deadlines = DeadlineQueue()
    }
}
