// SPDX-License-Identifier: Apache-2.0

#if PostgresStore
import struct FoundationEssentials.UUID

/// Decides which call goes over which connection, when to connect, and when to give up.
///
/// It knows calls by number and connections by index; the thread of ``ConnectionLoop`` does what its actions say.
struct ConnectionPoolMachine {
    struct Limits {
        /// The number of connections.
        var connections: Int
        /// The number of addresses of the server that are tried before a pause.
        var addresses = 1
        /// The number of calls that may wait for a connection.
        var waiting = 1_024
        /// The rows of one statement that was joined from several calls, and their bytes.
        var joinedRows = 256
        var joinedBytes = 1 << 20
        /// The time for one attempt to connect.
        var connect = Self.connect
        /// The first pause after attempts that failed; it doubles up to ``longestPause``.
        var shortestPause: Duration = .milliseconds(50)
        var longestPause: Duration = .seconds(1)

        /// The time for one attempt to connect, by default.
        static let connect = Duration.seconds(3)
    }

    struct Call: Hashable {
        let number: UInt64
        /// The moment at which its caller gives up.
        let deadline: Duration
        /// Its part, if it may share a statement with others.
        var share: Share?
    }

    /// The part of a call in a statement that several calls share.
    struct Share: Hashable {
        enum Kind {
            case read
            case commit
            case slot
        }

        let kind: Kind
        let keys: [UUID]
        /// About how many bytes it sends.
        let bytes: Int
    }

    enum Refusal: Hashable {
        /// Too many calls wait.
        case busy
        /// The store was closed.
        case closed
        /// There is no connection; the last attempt failed.
        case notConnected
        /// The time was over before the call was sent.
        case timedOutUnsent
        /// The time was over, and the answer has not come.
        case timedOut
        /// The caller has cancelled it.
        case cancelled
    }

    enum Action: Hashable {
        /// Begin to connect to one of the addresses.
        case connect(Int, address: Int)
        /// Send these calls: one, or several of one kind as one statement.
        case send(Int, [UInt64])
        /// Close the socket.
        case close(Int)
        /// Resume the caller.
        case refuse(UInt64, Refusal)
    }

    private enum Connection: Hashable {
        case closed
        case connecting(until: Duration, step: Int)
        case idle
        /// The calls that still have a caller; the statement may go on without.
        case busy([Call], until: Duration)
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
            case .connecting(let until, _): first = min(first ?? until, until)
            case .busy(let calls, let until): first = min(first ?? until, until, Self.first(of: calls) ?? until)
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
            guard case .busy(let calls, let until) = connection, calls.contains(where: { $0.number == number }) else {
                continue
            }
            self.connections[index] = .busy(calls.filter { $0.number != number }, until: until)
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
    /// - Returns: The calls that still wait for it.
    mutating func answered(_ index: Int) -> [UInt64] {
        guard case .busy(let calls, _) = self.connections[index] else { return [] }
        self.connections[index] = .idle
        return calls.map(\.number)
    }

    /// A connection broke that was ready.
    ///
    /// - Returns: The calls that were sent over it and have no answer.
    mutating func broke(_ index: Int) -> [UInt64] {
        let lost: [UInt64] = if case .busy(let calls, _) = self.connections[index] { calls.map(\.number) } else { [] }
        self.connections[index] = .closed
        return lost
    }

    /// Refuses everything from now on.
    mutating func close() -> [Action] {
        self.phase = .closed
        var actions = self.refuseWaiting(.closed)
        for (index, connection) in self.connections.enumerated() {
            switch connection {
            case .closed: continue
            case .connecting, .idle: break
            case .busy(let calls, _): actions += calls.map { .refuse($0.number, .timedOut) }
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
        for index in self.connections.indices where self.connections[index] == .idle && !self.waiting.isEmpty {
            actions.append(self.send(index))
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
        case .busy(let calls, let until):
            let late = calls.filter { $0.deadline <= now }
            var actions: [Action] = late.map { .refuse($0.number, .timedOut) }
            if until <= now {
                self.connections[index] = .closed
                actions.append(.close(index))
            } else if !late.isEmpty {
                self.connections[index] = .busy(calls.filter { $0.deadline > now }, until: until)
            }
            return actions
        }
    }

    /// Sends the first call that waits, and all of its kind that fit into one statement with it.
    private mutating func send(_ index: Int) -> Action {
        let first = self.waiting.removeFirst()
        var calls = [first]
        if var joined = first.share.map({ Joined($0) }) {
            self.waiting.removeAll { call in
                guard joined.take(call.share, self.limits) else { return false }
                calls.append(call)
                return true
            }
        }
        self.connections[index] = .busy(calls, until: calls.map(\.deadline).max() ?? first.deadline)
        return .send(index, calls.map(\.number))
    }

    private mutating func connect(at now: Duration) -> [Action] {
        var wanted = self.waiting.count
        for connection in self.connections { if case .connecting = connection { wanted -= 1 } }
        var actions: [Action] = []
        for index in self.connections.indices where wanted > 0 && self.connections[index] == .closed {
            self.connections[index] = .connecting(until: now + self.limits.connect, step: self.step)
            actions.append(.connect(index, address: self.step % self.limits.addresses))
            wanted -= 1
        }
        return actions
    }

    /// A connection is there or may soon be.
    private var isAlive: Bool {
        self.connections.contains { $0 != .closed }
    }

    private mutating func refuseWaiting(_ refusal: Refusal) -> [Action] {
        defer { self.waiting = [] }
        return self.waiting.map { .refuse($0.number, refusal) }
    }
}

/// A statement while calls are joined to it.
private struct Joined {
    let kind: ConnectionPoolMachine.Share.Kind
    var keys: Set<UUID>
    var rows: Int
    var bytes: Int

    init(_ share: ConnectionPoolMachine.Share) {
        (self.kind, self.keys, self.rows, self.bytes) = (share.kind, Set(share.keys), share.keys.count, share.bytes)
    }

    /// Takes one more call, if it fits.
    ///
    /// A statement changes a row once, but two calls may read the same row.
    mutating func take(_ share: ConnectionPoolMachine.Share?, _ limits: ConnectionPoolMachine.Limits) -> Bool {
        guard let share, share.kind == self.kind, self.rows + share.keys.count <= limits.joinedRows,
            self.bytes + share.bytes <= limits.joinedBytes,
            self.kind == .read || self.keys.isDisjoint(with: share.keys)
        else { return false }
        self.keys.formUnion(share.keys)
        self.rows += share.keys.count
        self.bytes += share.bytes
        return true
    }
}
#endif
