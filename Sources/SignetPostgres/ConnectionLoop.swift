// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The thread of a store: it alone touches the connections, and waits in `poll` for all of them.
final class ConnectionLoop {
    private let parameters: ConnectionParameters
    private let inbox: CallInbox
    private var machine: ConnectionPoolMachine
    private var connections: [Int: PostgresConnection] = [:]
    private var calls: [UInt64: CallInbox.Call] = [:]
    private var lookUps = LookUpQueue()
    /// The connections whose statement is that of several calls.
    private var joined: Set<Int> = []
    /// The connections that ask about the statements of others.
    private var inquiries: Set<Int> = []
    /// False once a pooler was found that changes the session between two statements.
    private var prepares = true
    /// Of an attempt to connect; nil once a connection is there.
    private var lastFailure: PostgresFailure?
    private var generator = SystemRandomNumberGenerator()

    private let lookUp: HostLookUp.Function

    init(
        _ parameters: ConnectionParameters,
        limits: ConnectionPoolMachine.Limits,
        inbox: CallInbox,
        lookUp: @escaping HostLookUp.Function
    ) {
        self.parameters = parameters
        self.lookUp = lookUp
        self.inbox = inbox
        self.machine = ConnectionPoolMachine(limits)
    }

    /// Runs until the store is closed.
    func run() {
        while true {
            let (commands, isClosed) = self.inbox.take()
            let now = SystemTime.now
            for command in commands {
                switch command {
                case .add(let call):
                    self.calls[call.number] = call
                    self.perform(self.machine.add(call.asked, at: now))
                case .cancel(let number):
                    self.perform(self.machine.cancel(number))
                case .found(let address, let numbers):
                    for index in self.lookUps.end(address) { self.connect(index, address, numbers) }
                }
            }
            if isClosed {
                self.perform(self.machine.close())
                return
            }
            // An attempt may fail before there is a socket; then the next one begins here.
            while true {
                let actions = self.machine.advance(to: SystemTime.now, jitter: self.jitter)
                if actions.isEmpty { break }
                self.perform(actions)
            }
            self.wait()
        }
    }

    private var jitter: Double {
        Double.random(in: 0..<1, using: &self.generator)
    }

    /// Waits for a socket, a call or a deadline; then goes on with each socket that is ready.
    private func wait() {
        var wishes = [pollfd(fd: self.inbox.signal.reading, events: Int16(POLLIN), revents: 0)]
        let open = self.connections.sorted { $0.key < $1.key }
        for (_, connection) in open {
            let events = connection.wantsToWrite ? POLLIN | POLLOUT : POLLIN
            wishes.append(pollfd(fd: connection.socket, events: Int16(events), revents: 0))
        }
        guard poll(&wishes, nfds_t(wishes.count), self.timeout) > 0 else { return }
        if wishes[0].revents != 0 { self.inbox.signal.clear() }
        for (wish, (index, connection)) in zip(wishes.dropFirst(), open) where wish.revents != 0 {
            self.advance(index, connection)
        }
    }

    /// Milliseconds until the machine's next deadline, rounded up; -1 for no deadline.
    private var timeout: Int32 {
        guard let deadline = self.machine.nextDeadline else { return -1 }
        let (seconds, attoseconds) = max(deadline - SystemTime.now, .zero).components
        return Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    private func advance(_ index: Int, _ connection: PostgresConnection) {
        switch connection.advance() {
        case .waiting:
            break
        case .connected:
            self.machine.connected(index)
            self.lastFailure = nil
        case .answered(let answer):
            if case .failure(let failure) = answer, failure.isOfPreparing { self.prepares = false }
            if self.inquiries.remove(index) != nil, case .success(let working) = answer {
                self.inquired(index, working)
            }
            let waiting = self.machine.answered(index, at: SystemTime.now)
            if case .failure(let failure) = answer, failure.endsConnection {
                self.connections[index] = nil
                _ = self.machine.broke(index, at: SystemTime.now)
            }
            let isJoined = self.joined.contains(index)
            self.resume(waiting, answer.mapError { .failed($0, closed: false, joined: isJoined) })
        case .broke(let failure):
            self.connections[index] = nil
            if connection.isConnecting {
                self.attemptFailed(index, failure, of: connection.address)
            } else {
                self.broke(index, failure)
            }
        }
    }

    private func broke(_ index: Int, _ failure: PostgresFailure) {
        let isJoined = self.joined.contains(index)
        self.inquiries.remove(index)
        self.resume(
            self.machine.broke(index, at: SystemTime.now),
            .failure(.failed(failure, closed: true, joined: isJoined))
        )
    }

    // MARK: - Connecting

    private func attemptFailed(_ index: Int, _ failure: PostgresFailure, of address: Int) {
        self.lastFailure = failure
        self.lookUps.failed(address)
        self.perform(self.machine.connectionFailed(index, at: SystemTime.now, jitter: self.jitter))
    }

    /// Begins to connect; a name is looked up first, on a thread of its own.
    private func connect(_ index: Int, _ address: Int) {
        guard let host = self.parameters.addresses[address].name else { return self.connect(index, address, nil) }
        guard self.lookUps.wait(index, for: address) else { return }
        let (inbox, lookUp) = (self.inbox, self.lookUp)
        do throws(SharedStoreError) {
            try SystemThread.start { inbox.add(.found(address: address, lookUp(host))) }
        } catch {
            inbox.add(.found(address: address, .failure(HostLookUp.Failure(message: error.message))))
        }
    }

    private func connect(_ index: Int, _ address: Int, _ numbers: Result<[String], HostLookUp.Failure>) {
        let found = numbers.flatMap { self.parameters.trusted($0, of: address) }
        switch found {
        case .success(let numbers): self.connect(index, address, self.lookUps.order(numbers, of: address))
        case .failure(let failure):
            let host = self.parameters.addresses[address].name ?? ""
            let message = "the host name \"\(host)\" leads to no address: \(failure.message)"
            self.attemptFailed(index, PostgresFailure(state: nil, message: message), of: address)
        }
    }

    private func connect(_ index: Int, _ address: Int, _ numbers: [String]?) {
        let connection = PostgresConnection(self.parameters, address: address, numbers: numbers)
        if connection.socket >= 0 {
            self.connections[index] = connection
        } else {
            self.advance(index, connection)
        }
    }

    // MARK: - Actions

    private func perform(_ actions: [ConnectionPoolMachine.Action]) {
        for action in actions {
            switch action {
            case .connect(let index, let address):
                self.connect(index, address)
            case .send(let index, let numbers):
                self.send(index, numbers)
            case .close(let index):
                // The machine has counted it: only the reason is missing.
                if let connection = self.connections[index], connection.isConnecting {
                    self.lastFailure = PostgresFailure(state: nil, message: "the server does not answer")
                    self.lookUps.failed(connection.address)
                } else if self.connections[index] == nil {
                    self.lastFailure = PostgresFailure(state: nil, message: "the name server does not answer")
                }
                self.lookUps.giveUp(index)
                self.inquiries.remove(index)
                self.connections[index] = nil
            case .inquire(let index, let others):
                self.inquire(index, about: others)
            case .refuse(let number, let refusal):
                self.calls.removeValue(forKey: number)?.resume(.failure(.refused(refusal, self.lastFailure)))
            }
        }
    }

    private func send(_ index: Int, _ numbers: [UInt64]) {
        let calls = numbers.compactMap { self.calls[$0] }
        guard let first = calls.first, let connection = self.connections[index] else { return }
        if calls.count > 1 { self.joined.insert(index) } else { self.joined.remove(index) }
        let statement = Self.statement(first.wish, calls)
        let deadline = calls.map(\.deadline).max() ?? first.deadline
        let limits = StatementLimits(
            left: deadline - SystemTime.now,
            isJoined: calls.count > 1,
            lockTenths: statement.lockTenths
        )
        guard let failure = connection.send(statement, limits, prepares: self.prepares) else { return }
        self.connections[index] = nil
        self.broke(index, failure)
    }

    // MARK: - Abandoned statements

    private func inquire(_ index: Int, about others: [Int]) {
        let processes = others.compactMap { self.connections[$0]?.process }
        // A statement that began after the others were given up is one of another process with the same number.
        let statement = PostgresStatement(
            """
            select pid from pg_stat_activity
            where pid = any($1::bigint[]) and state = 'active' and xact_start < clock_timestamp() - interval '500 ms'
            """,
            .integers(processes.map(Int64.init))
        )
        self.inquiries.insert(index)
        self.joined.remove(index)
        let limits = StatementLimits(left: .seconds(1), isJoined: false)
        guard let connection = self.connections[index],
            let failure = connection.send(statement, limits, prepares: self.prepares)
        else { return }
        self.connections[index] = nil
        self.broke(index, failure)
    }

    private func inquired(_ index: Int, _ answer: PostgresResult) {
        let processes = Set(answer.rows.map { Int32(truncatingIfNeeded: $0.integer(0)) })
        let working = self.connections.filter { $0.value.process.map(processes.contains) ?? false }.keys
        self.perform(self.machine.inquired(index, working: Set(working), at: SystemTime.now))
    }

    /// The statement of calls that have the same kind of wish.
    private static func statement(_ first: CallInbox.Wish, _ calls: [CallInbox.Call]) -> PostgresStatement {
        switch first {
        case .statement(let statement): statement
        case .read: PostgresStatement(reading: calls.flatMap(\.wish.keys))
        case .commit: PostgresStatement(committing: calls.flatMap(\.wish.commits))
        case .slot: PostgresStatement(wishing: calls.compactMap(\.wish.slot))
        }
    }

    private func resume(_ numbers: [UInt64], _ answer: Result<PostgresResult, CallInbox.Failure>) {
        for number in numbers { self.calls.removeValue(forKey: number)?.resume(answer) }
    }
}
#endif
