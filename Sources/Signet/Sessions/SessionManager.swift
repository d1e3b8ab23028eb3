// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Ends timed-out sessions, with one deadline queue and one sleep for all installations of a runtime.
///
/// A holder is kept in memory while its session can time out. `log` does not call the manager: a deadline that has moved is
/// found when the old one is due. At most once a second, the manager ends all sessions that are due.
actor SessionManager {
    private enum Arrival {
        /// A session, with the uptime of its first check.
        case session(any SessionHolder, Duration)
        /// All deadlines must be computed again.
        case review
    }

    private struct Arrivals {
        /// The arrivals to take in, in order; nil once the manager is closed.
        var list: [Arrival]? = []
        /// The uptime of the next timed wake-up: only an earlier deadline needs a signal.
        ///
        /// Zero while it is awake.
        var wakeUp = Duration.zero
    }

    private let time: TimeSource
    private let ended: @Sendable () -> Void
    private let wakeup = AsyncSignal()
    private let arrivals = Locked(Arrivals())
    private var deadlines = DeadlineQueue<any SessionHolder>()
    /// The uptime from which sessions may be ended again.
    private var nextLook = Duration.zero

    /// The minimum interval between checks, so that a server with many sessions does other work too.
    private static let pace = Duration.seconds(1)
    /// The number of checks after which other tasks get the thread; these take about 2 ms.
    private static let portion = 256

    /// - Parameters:
    ///   - time: The clocks.
    ///   - ended: Called after a portion of checks that has ended sessions.
    init(time: TimeSource, ended: @escaping @Sendable () -> Void) {
        (self.time, self.ended) = (time, ended)
    }

    /// Watches a session that can time out.
    ///
    /// Can be called from any thread; before `run()`, the session waits for it.
    ///
    /// - Parameters:
    ///   - holder: The owner of the session.
    ///   - deadline: The uptime of the first check.
    nonisolated func watch(_ holder: any SessionHolder, until deadline: Duration) {
        let isUpdate = self.arrivals.withLock { arrivals in
            arrivals.list?.append(.session(holder, deadline))
            return deadline < arrivals.wakeUp
        }
        if isUpdate { self.wakeup.signal() }
    }

    /// Checks all watched sessions again after a change of the timeout, because they may end sooner.
    nonisolated func review() {
        self.arrivals.withLock { arrivals in
            // One review looks at all that came before it.
            if case .review = arrivals.list?.last { return }
            arrivals.list?.append(.review)
        }
        self.wakeup.signal()
    }

    /// Stops watching and releases all holders, because they retain the manager too.
    nonisolated func close() {
        let list = self.arrivals.withLock { $0.list.take() }
        withExtendedLifetime(list) {}
    }

    /// Ends sessions as they become due, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            self.takeIn()
            await self.look()
            let next = self.deadlines.first.map { max($0, self.nextLook) }
            let isAsleep = self.arrivals.withLock { arrivals in
                guard arrivals.list?.isEmpty ?? true else { return false }
                arrivals.wakeUp = next ?? .seconds(Int64.max)
                return true
            }
            if isAsleep { await self.wakeup.wait(until: next, on: self.time) }
        }
        self.deadlines = DeadlineQueue()
    }

    private func takeIn() {
        let list = self.arrivals.withLock { arrivals -> [Arrival] in
            arrivals.wakeUp = .zero
            guard let list = arrivals.list else { return [] }
            arrivals.list = []
            return list
        }
        for case .session(let holder, let deadline) in list { self.deadlines.insert(holder, at: deadline) }
        // After all sessions: the deadlines of those that came last may be of before the change, too.
        guard list.contains(where: { if case .review = $0 { true } else { false } }) else { return }
        var reviewed = DeadlineQueue<any SessionHolder>()
        var portion = Portion()
        while let holder = self.deadlines.popFirst() {
            if let next = portion.check(holder) { reviewed.insert(holder, at: next) }
            if portion.isFull { self.end(&portion) }
        }
        self.deadlines = reviewed
        self.end(&portion)
    }

    private func look() async {
        let now = self.time.uptime
        guard let first = self.deadlines.first, first <= now, self.nextLook <= now else { return }
        self.nextLook = now + Self.pace
        var portion = Portion()
        while let holder = self.deadlines.popDue(at: now) {
            if let next = portion.check(holder) { self.deadlines.insert(holder, at: next) }
            guard portion.isFull else { continue }
            self.end(&portion)
            await Task.yield()
        }
        self.end(&portion)
    }

    private func end(_ portion: inout Portion) {
        if portion.hasEnded { self.ended() }
        portion = Portion()
    }

    private struct Portion {
        private var count = 0
        private(set) var hasEnded = false

        var isFull: Bool {
            self.count == SessionManager.portion
        }

        mutating func check(_ holder: any SessionHolder) -> Duration? {
            self.count += 1
            return holder.timeOutSession(&self.hasEnded)
        }
    }
}
