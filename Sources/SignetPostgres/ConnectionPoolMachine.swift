// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
/// Decides which call goes over which connection, when to connect, and when to give up.
///
/// It knows calls by number and connections by index; the thread of ``ConnectionLoop`` does what its actions say.
struct ConnectionPoolMachine {
    private enum Connection: Hashable {
        case closed
        case connecting(until: Duration, step: Int)
        case idle
        /// The calls that still have a caller; the statement may go on without.
        case busy([Call], Kind, until: Duration)
        /// Its callers have gone. The server may still work on the statement: another connection would be one more there.
        case abandoned(Abandonment)
        /// It asks about abandoned statements.
        case inquiring(about: [Int], until: Duration)
    }

    /// A statement whose callers have gone.
    private enum Abandonment: Hashable {
        /// The server cuts it off; without an answer until then the way to the server is broken.
        case quick(until: Duration)
        /// A commit, about which the server is asked.
        case commit(askedAt: Duration)
        /// A commit about which no connection could ask; they look again then.
        case unasked(until: Duration)
        /// A commit on the only connection.
        case onlyCommit(until: Duration)
        /// A commit about which the server is being asked.
        case inquired

        var isCommit: Bool { if case .quick = self { false } else { true } }
    }

    private enum Phase {
        case open
        case pausing(until: Duration)
        case closed
    }

    private let limits: Limits
    private var connections: [Connection]
    private var waiting: [Call] = []
    private var phase = Phase.open
    /// The step of the walk over the addresses: each step is one address, and each round one step for each of them.
    private var step = 0
    /// The steps that have failed since a connection was there.
    private var failedSteps = 0

    init(_ limits: Limits) {
        self.limits = limits
        self.connections = Array(repeating: .closed, count: limits.connections)
    }

    /// The next moment at which ``advance(to:)`` has something to do; nil if there is none.
    var nextDeadline: Duration? {
        var first = Self.first(of: self.waiting)
        if case .pausing(let until) = self.phase, !self.waiting.isEmpty { first = min(first ?? until, until) }
        for connection in self.connections {
            switch connection {
            case .closed, .idle: break
            case .connecting(let until, _), .inquiring(_, let until): first = min(first ?? until, until)
            case .busy(let calls, _, let until): first = min(first ?? until, until, Self.first(of: calls) ?? until)
            case .abandoned(.quick(let until)), .abandoned(.onlyCommit(let until)), .abandoned(.unasked(let until)):
                first = min(first ?? until, until)
            case .abandoned(.commit(let moment)): first = min(first ?? moment, moment)
            case .abandoned(.inquired): break
            }
        }
        return first
    }

    private static func first(of calls: [Call]) -> Duration? {
        calls.reduce(nil as Duration?) { first, call in min(first ?? call.deadline, call.deadline) }
    }

    /// Takes a call, or refuses it.
    mutating func add(_ call: Call, at now: Duration) -> [Action] {
        switch self.phase {
        case .closed: return [.refuse(call.number, .closed)]
        case .pausing(let until) where now < until && !self.isAlive: return [.refuse(call.number, .notConnected)]
        case .open, .pausing: break
        }
        if call.kind == .commit, self.areCommitsStuck { return [.refuse(call.number, .commitsWait)] }
        guard self.waiting.count < self.limits.waiting else { return [.refuse(call.number, .busy)] }
        self.waiting.append(call)
        return []
    }

    /// The caller has gone.
    mutating func cancel(_ number: UInt64) -> [Action] {
        if let index = self.waiting.firstIndex(where: { $0.number == number }) {
            self.waiting.remove(at: index)
            return [.refuse(number, .cancelled)]
        }
        for (index, connection) in self.connections.enumerated() {
            guard case .busy(let calls, let kind, let until) = connection,
                calls.contains(where: { $0.number == number })
            else { continue }
            self.connections[index] = .busy(calls.filter { $0.number != number }, kind, until: until)
            return [.refuse(number, .cancelled)]
        }
        return []
    }

    /// A connection is ready.
    mutating func connected(_ index: Int) {
        // The next connections go where this one has.
        if case .connecting(_, let step) = self.connections[index] { self.step = step }
        self.connections[index] = .idle
        self.failedSteps = 0
        if case .pausing = self.phase { self.phase = .open }
    }

    /// An attempt to connect has failed; attempts of one step that fail together are one step to the next address.
    ///
    /// - Parameters:
    ///   - index: The connection.
    ///   - now: The moment.
    ///   - jitter: Between 0 and 1; shortens the pause by up to a half.
    /// - Returns: The calls to refuse, if no other connection is there.
    mutating func connectionFailed(_ index: Int, at now: Duration, jitter: Double) -> [Action] {
        let step: Int? = if case .connecting(_, let step) = self.connections[index] { step } else { nil }
        self.connections[index] = .closed
        if case .closed = self.phase { return [] }
        if step == self.step {
            self.step += 1
            self.failedSteps += 1
            if self.failedSteps.isMultiple(of: self.limits.addresses) {
                let rounds = self.failedSteps / self.limits.addresses
                let pause = min(self.limits.shortestPause * (1 << min(rounds - 1, 10)), self.limits.longestPause)
                self.phase = .pausing(until: now + pause * (1 - jitter / 2))
            }
        }
        // Before the pause the next address is tried at once.
        guard case .pausing = self.phase, !self.isAlive else { return [] }
        return self.refuseWaiting(.notConnected)
    }

    /// The answer has come, the last of the statement.
    ///
    /// - Parameters:
    ///   - index: The connection.
    ///   - now: The moment.
    /// - Returns: The calls that still wait for it.
    mutating func answered(_ index: Int, at now: Duration) -> [UInt64] {
        self.end(index, as: .idle, at: now)
    }

    /// The answer about abandoned statements has come.
    ///
    /// - Parameters:
    ///   - index: The connection that has asked.
    ///   - working: The connections on whose statements the server works.
    ///   - now: The moment.
    /// - Returns: The connections to close: their statements are over, so the way back is broken.
    mutating func inquired(_ index: Int, working: Set<Int>, at now: Duration) -> [Action] {
        guard case .inquiring(let asked, _) = self.connections[index] else { return [] }
        self.connections[index] = .idle
        return asked.compactMap { other in
            guard self.connections[other] == .abandoned(.inquired) else { return nil }
            guard working.contains(other) else {
                self.connections[other] = .closed
                return .close(other)
            }
            self.connections[other] = .abandoned(.commit(askedAt: now + self.limits.inquiry))
            return nil
        }
    }

    /// A connection broke that was ready.
    ///
    /// - Parameters:
    ///   - index: The connection.
    ///   - now: The moment.
    /// - Returns: The calls that were sent over it and have no answer.
    mutating func broke(_ index: Int, at now: Duration) -> [UInt64] {
        self.end(index, as: .closed, at: now)
    }

    /// Ends what a connection does; a question that was refused, or lost, is asked again.
    ///
    /// - Returns: The calls that still wait.
    private mutating func end(_ index: Int, as next: Connection, at now: Duration) -> [UInt64] {
        defer { self.connections[index] = next }
        switch self.connections[index] {
        case .busy(let calls, _, _): return calls.map(\.number)
        case .inquiring(let asked, _):
            self.askAgain(asked, at: now)
            return []
        case .closed, .connecting, .idle, .abandoned: return []
        }
    }

    private mutating func askAgain(_ asked: [Int], at now: Duration) {
        for other in asked where self.connections[other] == .abandoned(.inquired) {
            self.connections[other] = .abandoned(.commit(askedAt: now + self.limits.grace))
        }
    }

    /// Refuses everything from now on.
    mutating func close() -> [Action] {
        self.phase = .closed
        var actions = self.refuseWaiting(.closed)
        for (index, connection) in self.connections.enumerated() {
            switch connection {
            case .closed: continue
            case .connecting, .idle, .abandoned, .inquiring: break
            case .busy(let calls, _, _): actions += calls.map { .refuse($0.number, .timedOut) }
            }
            self.connections[index] = .closed
            actions.append(.close(index))
        }
        return actions
    }

    /// Gives up what is late, then sends what waits.
    ///
    /// - Parameters:
    ///   - now: The moment.
    ///   - jitter: As in ``connectionFailed(_:at:jitter:)``, for attempts that take too long.
    /// - Returns: The actions, in their order; after them, ask again.
    mutating func advance(to now: Duration, jitter: Double) -> [Action] {
        var actions: [Action] = []
        self.waiting.removeAll { call in
            guard call.deadline <= now else { return false }
            actions.append(.refuse(call.number, .timedOutUnsent))
            return true
        }
        for index in self.connections.indices { actions += self.giveUp(index, at: now, jitter: jitter) }
        if self.areCommitsStuck { actions += self.refuseCommits() }
        actions += self.inquire(at: now)
        for index in self.connections.indices where self.connections[index] == .idle {
            guard let action = self.send(index) else { break }
            actions.append(action)
        }
        if case .pausing(let until) = self.phase, until <= now { self.phase = .open }
        if case .open = self.phase { actions += self.connect(at: now) }
        return actions
    }

    private mutating func giveUp(_ index: Int, at now: Duration, jitter: Double) -> [Action] {
        switch self.connections[index] {
        case .closed, .idle:
            return []
        case .connecting(let until, _):
            guard until <= now else { return [] }
            return [.close(index)] + self.connectionFailed(index, at: now, jitter: jitter)
        case .busy(let calls, let kind, let until):
            let late = calls.filter { $0.deadline <= now }
            if until <= now {
                self.connections[index] = .abandoned(self.abandonment(of: kind, at: now))
            } else if !late.isEmpty {
                self.connections[index] = .busy(calls.filter { $0.deadline > now }, kind, until: until)
            }
            return late.map { .refuse($0.number, .timedOut) }
        case .abandoned(.quick(let until)), .abandoned(.onlyCommit(let until)):
            guard until <= now else { return [] }
            self.connections[index] = .closed
            return [.close(index)]
        case .abandoned(.commit), .abandoned(.unasked), .abandoned(.inquired):
            return []
        case .inquiring(let asked, let until):
            guard until <= now else { return [] }
            self.connections[index] = .closed
            self.askAgain(asked, at: now)
            return [.close(index)]
        }
    }

    private func abandonment(of kind: Kind, at now: Duration) -> Abandonment {
        switch kind {
        case .quick: .quick(until: now + self.limits.grace)
        case .commit where self.limits.connections == 1: .onlyCommit(until: now + self.limits.patience)
        case .commit: .commit(askedAt: now + self.limits.grace)
        }
    }

    /// Asks about abandoned commits over a connection that is free.
    private mutating func inquire(at now: Duration) -> [Action] {
        let due = self.connections.indices.filter { index in
            switch self.connections[index] {
            case .abandoned(.commit(let moment)): moment <= now
            case .abandoned(.unasked): true
            default: false
            }
        }
        guard let free = self.connections.firstIndex(of: .idle) else {
            for index in due { self.connections[index] = .abandoned(.unasked(until: now + self.limits.shortestPause)) }
            return []
        }
        guard !due.isEmpty else { return [] }
        for index in due { self.connections[index] = .abandoned(.inquired) }
        self.connections[free] = .inquiring(about: due, until: now + self.limits.grace)
        return [.inquire(free, about: due)]
    }

    /// The number of connections that have a commit, with or without a caller.
    private var commits: Int {
        self.connections.count { connection in
            switch connection {
            case .busy(_, .commit, _): true
            case .abandoned(let abandonment): abandonment.isCommit
            case .busy, .closed, .connecting, .idle, .inquiring: false
            }
        }
    }

    /// True if no further commit can be sent, as the server works on commits whose callers have gone.
    private var areCommitsStuck: Bool {
        let stuck = self.connections.count {
            if case .abandoned(let abandonment) = $0 { abandonment.isCommit } else { false }
        }
        return stuck >= self.limits.commits
    }

    private mutating func refuseCommits() -> [Action] {
        let commits = self.waiting.filter { $0.kind == .commit }
        if !commits.isEmpty { self.waiting.removeAll { $0.kind == .commit } }
        return commits.map { .refuse($0.number, .commitsWait) }
    }

    /// Sends the first call that waits and may be sent, and all of its kind that fit into one statement with it.
    private mutating func send(_ index: Int) -> Action? {
        let isFull = self.commits >= self.limits.commits
        guard let next = self.waiting.firstIndex(where: { $0.kind == .quick || !isFull }) else { return nil }
        let first = self.waiting.remove(at: next)
        var calls = [first]
        if var joined = first.share.map({ Joined($0) }) {
            self.waiting.removeAll { call in
                guard joined.take(call.share, self.limits) else { return false }
                calls.append(call)
                return true
            }
        }
        let until = calls.map(\.deadline).max() ?? first.deadline
        self.connections[index] = .busy(calls, first.kind, until: until)
        return .send(index, calls.map(\.number))
    }

    private mutating func connect(at now: Duration) -> [Action] {
        let commits = self.waiting.count { $0.kind == .commit }
        var wanted = self.waiting.count - commits + min(commits, max(0, self.limits.commits - self.commits))
        if self.lacksInquiry, wanted == 0 { wanted = 1 }
        for connection in self.connections { if case .connecting = connection { wanted -= 1 } }
        var actions: [Action] = []
        for index in self.connections.indices where wanted > 0 && self.connections[index] == .closed {
            self.connections[index] = .connecting(until: now + self.limits.connect, step: self.step)
            actions.append(.connect(index, address: self.step % self.limits.addresses))
            wanted -= 1
        }
        return actions
    }

    /// A connection is there or may soon be; an abandoned one says nothing.
    private var isAlive: Bool {
        self.connections.contains { connection in
            switch connection {
            case .closed, .abandoned: false
            case .connecting, .idle, .busy, .inquiring: true
            }
        }
    }

    private var lacksInquiry: Bool {
        self.connections.contains { if case .abandoned(.unasked) = $0 { true } else { false } }
    }

    private mutating func refuseWaiting(_ refusal: Refusal) -> [Action] {
        defer { self.waiting = [] }
        return self.waiting.map { .refuse($0.number, refusal) }
    }
}
#endif
