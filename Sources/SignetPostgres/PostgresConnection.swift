// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import CSignetPostgres
import SignetModel

/// One connection of libpq, used by one thread.
///
/// It never waits.
final class PostgresConnection {
    /// The address to which it goes.
    let address: Int
    private let secrets: [Secret]
    private var connection: OpaquePointer?
    private var phase = Phase.connecting(PGRES_POLLING_WRITING)
    private var answer: Result<PostgresResult, PostgresFailure>?
    private var ends = PostgresResult.Ends()
    /// The names of the statements that the server has prepared.
    private var prepared: Set<String> = []
    /// The steps that were sent and have no answer, in order; empty without a statement, and for a script.
    private var awaited: [Step] = []
    /// The process of the server that works on the statement, once it has said so; behind a pooler it is another one each time.
    private(set) var process: Int32?

    /// A part of what is sent for one statement, up to a synchronisation.
    private enum Step {
        case prepare(String)
        case limits
        case statement
        case synchronisation
    }

    private enum Phase {
        /// It waits to read or to write, as libpq says.
        case connecting(PostgresPollingStatusType)
        case ready
        /// libpq has more to write than the socket takes.
        case flushing
    }

    enum Progress {
        case waiting
        /// The connection is ready.
        case connected
        /// The statement has its last answer.
        case answered(Result<PostgresResult, PostgresFailure>)
        /// The connection cannot be used any more.
        case broke(PostgresFailure)
    }

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - parameters: The settings.
    ///   - address: The address.
    ///   - numbers: The numeric addresses of its host, tried one after the other; nil if it has no name.
    init(_ parameters: ConnectionParameters, address: Int, numbers: [String]?) {
        self.address = address
        self.secrets = parameters.secrets
        let target = numbers.map { parameters.addresses[address].with($0) } ?? parameters.addresses[address]
        self.connection = parameters.withKeywords(target) { PQconnectStartParams($0, $1, 0) } ?? nil
        // Their SQLSTATE is found in no other way before the connection is there.
        PQsetErrorVerbosity(self.connection, PQERRORS_VERBOSE)
        // By default libpq prints notices.
        PQsetNoticeReceiver(self.connection, { _, _ in }, nil)
    }

    deinit {
        PQfinish(self.connection)
    }

    /// The socket; negative if there is none.
    var socket: Int32 {
        PQsocket(self.connection)
    }

    /// True until the connection is ready for the first time.
    var isConnecting: Bool {
        if case .connecting = self.phase { true } else { false }
    }

    /// True if there is something to write.
    var wantsToWrite: Bool {
        switch self.phase {
        case .connecting(let status): status == PGRES_POLLING_WRITING
        case .ready: false
        case .flushing: true
        }
    }

    /// Sends a statement.
    ///
    /// The connection is idle.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - limits: Its limits at the server.
    ///   - prepares: True if one with a name is prepared before its first use: the server plans it once.
    /// - Returns: Nil, or why it could not be sent.
    func send(_ statement: PostgresStatement, _ limits: StatementLimits, prepares: Bool) -> PostgresFailure? {
        (self.answer, self.process, self.awaited) = (nil, nil, [])
        let isSent =
            switch statement.form {
            case .script: self.sendScript(statement, limits)
            case .plain, .prepared: self.sendPipeline(statement, limits, prepares: prepares)
            }
        guard isSent else { return self.failure }
        self.phase = .flushing
        return self.flush()
    }

    /// Sends the limits and the statement as one transaction.
    private func sendPipeline(_ statement: PostgresStatement, _ limits: StatementLimits, prepares: Bool) -> Bool {
        guard PQpipelineStatus(self.connection) != PQ_PIPELINE_OFF || PQenterPipelineMode(self.connection) == 1,
            self.enqueue(limits.setting, .limits, prepares: prepares),
            // Only a commit may outlive its caller: then its process is asked for.
            !statement.waitsForStandbys || PQsendFlushRequest(self.connection) == 1,
            self.enqueue(statement, .statement, prepares: prepares), PQpipelineSync(self.connection) == 1
        else { return false }
        self.awaited.append(.synchronisation)
        return true
    }

    private func enqueue(_ statement: PostgresStatement, _ step: Step, prepares: Bool) -> Bool {
        defer { self.awaited.append(step) }
        guard prepares, case .prepared(let name) = statement.form else { return self.send(statement, as: nil) == 1 }
        if !self.prepared.contains(name) {
            let types = statement.parameters.map(\.type)
            guard PQsendPrepare(self.connection, name, statement.text, Int32(types.count), types) == 1 else {
                return false
            }
            self.awaited.append(.prepare(name))
        }
        return self.send(statement, as: name) == 1
    }

    /// A script is a transaction of its own, and sets its limits in it.
    private func sendScript(_ statement: PostgresStatement, _ limits: StatementLimits) -> Bool {
        guard PQpipelineStatus(self.connection) == PQ_PIPELINE_OFF || PQexitPipelineMode(self.connection) == 1 else {
            return false
        }
        let text = "set local statement_timeout = \(limits.statement); set local lock_timeout = \(limits.lock); "
        return PQsendQuery(self.connection, text + statement.text) == 1
    }

    private func send(_ statement: PostgresStatement, as name: String?) -> Int32 {
        let parameters = statement.parameters
        let bytes = parameters.flatMap { $0.bytes ?? [] }
        return bytes.withUnsafeBytes { bytes in
            // An empty value is not null, and needs an address.
            withUnsafeBytes(of: UInt8(0)) { empty in
                var values: [UnsafePointer<CChar>?] = []
                var offset = 0
                for parameter in parameters {
                    let count = parameter.bytes?.count ?? 0
                    let rest = count == 0 ? empty : UnsafeRawBufferPointer(rebasing: bytes[offset...])
                    values.append(parameter.bytes == nil ? nil : rest.assumingMemoryBound(to: CChar.self).baseAddress)
                    offset += count
                }
                let count = Int32(parameters.count)
                let lengths = parameters.map { Int32($0.bytes?.count ?? 0) }
                let formats = [Int32](repeating: 1, count: parameters.count)
                guard let name else {
                    let types = parameters.map(\.type)
                    return PQsendQueryParams(
                        self.connection,
                        statement.text,
                        count,
                        types,
                        values,
                        lengths,
                        formats,
                        1
                    )
                }
                return PQsendQueryPrepared(self.connection, name, count, values, lengths, formats, 1)
            }
        }
    }

    /// Goes on after the socket became ready.
    func advance() -> Progress {
        switch self.phase {
        case .connecting: return self.advanceConnecting()
        case .ready: break
        case .flushing: if let failure = self.flush() { return .broke(failure) }
        }
        let read = PQconsumeInput(self.connection)
        let isOver = self.awaited.isEmpty ? self.takeAnswer() : self.takePipeline()
        if isOver, let answer = self.answer, PQstatus(self.connection) == CONNECTION_OK {
            self.answer = nil
            return .answered(answer)
        }
        if PQstatus(self.connection) != CONNECTION_OK {
            // What the server said last is more than that it went.
            if case .failure(let failure) = self.answer { return .broke(failure) }
            return .broke(self.failure)
        }
        return read == 1 ? .waiting : .broke(self.failure)
    }

    /// Takes the results of a script.
    ///
    /// - Returns: True if there are no more.
    private func takeAnswer() -> Bool {
        while PQisBusy(self.connection) == 0 {
            guard let result = PQgetResult(self.connection) else { return true }
            self.take(result)
        }
        return false
    }

    /// Takes the results of what was sent, which come in its order.
    ///
    /// - Returns: True after the last one.
    private func takePipeline() -> Bool {
        // Nothing follows one result of a step but that there is no more of it.
        var isBetween = false
        while PQisBusy(self.connection) == 0, let step = self.awaited.first {
            guard let result = PQgetResult(self.connection) else {
                // Twice: the connection has ended.
                guard !isBetween else { return false }
                isBetween = true
                continue
            }
            isBetween = false
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                PQclear(result)
                self.awaited = []
                return true
            case PGRES_PIPELINE_ABORTED:
                PQclear(result)
            default:
                self.take(result, of: step)
            }
            // A failure of the commit is one of the synchronisation, and another result follows.
            if case .synchronisation = step { continue }
            self.awaited.removeFirst()
        }
        return false
    }

    private func take(_ result: OpaquePointer, of step: Step) {
        switch (step, PQresultStatus(result)) {
        case (.prepare(let name), PGRES_COMMAND_OK):
            PQclear(result)
            self.prepared.insert(name)
        case (.limits, PGRES_TUPLES_OK):
            let rows = PostgresResult(result, self.ends).rows
            self.process = rows.first.map { Int32(truncatingIfNeeded: $0.integer(2)) }
        default:
            self.take(result)
        }
    }

    private func advanceConnecting() -> Progress {
        let status = self.connection == nil ? PGRES_POLLING_FAILED : PQconnectPoll(self.connection)
        switch status {
        case PGRES_POLLING_OK:
            guard PQsetnonblocking(self.connection, 1) == 0 else { return .broke(self.failure) }
            self.phase = .ready
            self.ends = PostgresResult.Ends(
                isEncrypted: PQsslInUse(self.connection) == 1,
                process: PQbackendPID(self.connection)
            )
            return .connected
        case PGRES_POLLING_READING, PGRES_POLLING_WRITING:
            self.phase = .connecting(status)
            return .waiting
        default:
            return .broke(self.failure)
        }
    }

    private func flush() -> PostgresFailure? {
        switch PQflush(self.connection) {
        case 0: self.phase = .ready
        case 1: self.phase = .flushing
        default: return self.failure
        }
        return nil
    }

    /// Keeps the first failure of a statement, or else its last answer.
    private func take(_ result: OpaquePointer) {
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            let answer = PostgresResult(result, self.ends)
            if case .failure = self.answer { return }
            self.answer = .success(answer)
        default:
            let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
            let message = PQresultErrorField(result, Int32(UInt8(ascii: "M"))) ?? PQresultErrorMessage(result)
            let failure = PostgresFailure(
                state: state,
                serverMessage: message.map { String(cString: $0) } ?? "",
                redacting: self.secrets
            )
            PQclear(result)
            if case .failure = self.answer { return }
            self.answer = .failure(failure)
        }
    }

    private var failure: PostgresFailure {
        PostgresFailure(
            connectionMessage: PQerrorMessage(self.connection).map { String(cString: $0) } ?? "",
            redacting: self.secrets
        )
    }
}
#endif
