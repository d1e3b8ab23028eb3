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
/// found when the old one is due. Sessions are ended at most once a second, all together whose time has come.
actor SessionManager {
    private struct Arrivals {
        var list: [(holder: any SessionHolder, deadline: Duration)] = []
        var isClosed = false
        /// All deadlines are to be asked for again.
        var isReviewDue = false
        /// When it wakes up by itself: only what comes before is worth a signal.
        ///
        /// Zero while it is awake.
        var wakeUp = Duration.zero
    }

    private let time: TimeSource
    private let wakeup = AsyncSignal()
    private let arrivals = Locked(Arrivals())
    private var deadlines = DeadlineQueue<any SessionHolder>()
    /// When sessions may be ended again.
    private var nextLook = Duration.zero

    /// How far apart it wakes up at least: a server with many sessions would do nothing else.
    private static let pace = Duration.seconds(1)

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
        let isNews = self.arrivals.withLock { arrivals in
            if !arrivals.isClosed { arrivals.list.append((holder, deadline)) }
            return deadline < arrivals.wakeUp
        }
        if isNews { self.wakeup.signal() }
    }

    /// The timeout has changed: sessions that are watched may end sooner.
    nonisolated func review() {
        self.arrivals.withLock { $0.isReviewDue = true }
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
            self.takeIn()
            self.look()
            let next = self.deadlines.first.map { max($0, self.nextLook) }
            let isAsleep = self.arrivals.withLock { arrivals in
                guard arrivals.list.isEmpty, !arrivals.isReviewDue else { return false }
                arrivals.wakeUp = next ?? .seconds(Int64.max)
                return true
            }
            if isAsleep { await self.wakeup.wait(until: next, on: self.time) }
        }
        self.deadlines = DeadlineQueue()
    }

    private func takeIn() {
        let (list, isReviewDue) = self.arrivals.withLock { arrivals in
            defer { (arrivals.list, arrivals.isReviewDue, arrivals.wakeUp) = ([], false, .zero) }
            return (arrivals.list, arrivals.isReviewDue)
        }
        for arrival in list { self.deadlines.insert(arrival.holder, at: arrival.deadline) }
        guard isReviewDue else { return }
        var reviewed = DeadlineQueue<any SessionHolder>()
        while let holder = self.deadlines.popFirst() {
            if let next = holder.timeOutSession() { reviewed.insert(holder, at: next) }
        }
        self.deadlines = reviewed
    }

    private func look() {
        let now = self.time.uptime
        guard let first = self.deadlines.first, first <= now, self.nextLook <= now else { return }
        self.nextLook = now + Self.pace
        while let holder = self.deadlines.popDue(at: now) {
            if let next = holder.timeOutSession() { self.deadlines.insert(holder, at: next) }
        }
    }
}
