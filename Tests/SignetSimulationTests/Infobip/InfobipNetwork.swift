// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetTestSupport
import SignetTesting
import SignetTransport

/// The way of one process to the platform: counts what is under way, and writes down what has arrived, whoever learns of it.
final class InfobipNetwork: Transport {
    private struct State {
        var generator: SeededGenerator
        var faults = InfobipFault.fine
    }

    private let emulator: Emulator
    private let ledger: InfobipLedger
    private let executor: SeededExecutor
    private let clock: ManualClock
    private let isAlive: @Sendable () -> Bool
    /// Whether the disk knows that whose a registration is may change just now.
    private let remembers: @Sendable (String) -> Bool
    private let state: Locked<State>

    init(
        to emulator: Emulator,
        ledger: InfobipLedger,
        executor: SeededExecutor,
        clock: ManualClock,
        seed: UInt64,
        isAlive: @escaping @Sendable () -> Bool,
        remembers: @escaping @Sendable (String) -> Bool
    ) {
        self.emulator = emulator
        self.ledger = ledger
        self.executor = executor
        self.clock = clock
        self.isAlive = isAlive
        self.remembers = remembers
        self.state = Locked(State(generator: SeededGenerator(seed: seed)))
    }

    /// What goes wrong from now on.
    func set(_ faults: InfobipFault) {
        self.state.withLock { $0.faults = faults }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard self.isAlive() else { throw TransportError(.notConnected, "The process is dead.") }
        guard !Task.isCancelled else { throw Self.cancelled }
        guard let exchange = InfobipExchange(request) else { return await self.emulator.handle(request) }
        let now = self.clock.now.offset
        let place = self.ledger.with { $0.begin(exchange, at: now) }
        defer { self.ledger.with { $0.end(place) } }
        let fault = self.state.withLock { $0.faults.fault(on: exchange.kind, &$0.generator) }
        let who = place?.installation ?? -1
        self.tell(
            "\(who) \(exchange.kind) \(exchange.target.prefix(4)) \(exchange.text) \(fault.map { "\($0)" } ?? "")"
        )
        // That nobody knows whether it happens is written down before it can: the process may die at any time from here on.
        if exchange.kind == .personalize || exchange.kind == .depersonalize, exchange.target == exchange.own,
            !self.remembers(exchange.own)
        {
            self.ledger.with { $0.fail("the disk does not know of a \(exchange.kind) that is sent") }
        }
        // A runtime that asks for ever without a pause would never give the world back.
        guard self.ledger.with({ $0.isBearable }) else { throw TransportError(.notConnected, "It is enough.") }
        if let fault, !fault.arrives { return try await self.refuse(exchange, fault) }
        if case .delayed(let duration) = fault { try await self.wait(duration) }
        guard self.isAlive() else { throw TransportError(.notConnected, "The process is dead.") }
        let response = await self.emulator.handle(request)
        let code = Self.code(in: response)
        let id = exchange.kind == .register ? Self.id(in: response) : nil
        self.ledger.with { $0.took(exchange, code: code, id: id) }
        self.tell("\(who) \(exchange.kind) took \(response.status) \(code ?? "")")
        let answer = try await self.answer(response, fault)
        guard self.isAlive() else { throw TransportError(.notConnected, "The process is dead.") }
        if Task.isCancelled { throw Self.cancelled }
        if (400..<500).contains(answer.status), Self.code(in: answer) != "NO_REGISTRATION" {
            self.ledger.with { $0.refused(exchange, Self.code(in: answer)) }
        }
        return answer
    }

    /// Answers in the platform's place.
    private func refuse(
        _ exchange: InfobipExchange,
        _ fault: InfobipFault.Fault
    ) async throws(TransportError) -> TransportResponse {
        switch fault {
        case .fails(let code):
            throw TransportError(code, "As the plan of faults has it.")
        case .answered(let status, let code, let retryAfter):
            if status == 400 { self.ledger.with { $0.refused(exchange, code) } }
            self.ledger.with { $0.reach("faults \(status)") }
            return Self.response(status, code, retryAfter)
        default:
            self.ledger.with { $0.reach("faults hangs") }
            try await self.wait(.seconds(1_000_000))
            throw Self.cancelled
        }
    }

    /// What is left of an answer.
    private func answer(
        _ response: TransportResponse,
        _ fault: InfobipFault.Fault?
    ) async throws(TransportError) -> TransportResponse {
        var response = response
        switch fault {
        case .answerLost:
            self.ledger.with { $0.reach("answer lost") }
            throw TransportError(.notConnected, "The connection broke.")
        case .answerHangs:
            self.ledger.with { $0.reach("answer lost") }
            try await self.wait(.seconds(1_000_000))
        case .answerDelayed(let duration):
            try await self.wait(duration)
        case .answerReplaced(let status):
            self.ledger.with { $0.reach("answer lost") }
            return TransportResponse(status: status)
        case .truncated:
            response.body.removeLast(response.body.count - response.body.count / 2)
        case .emptied:
            response.body = []
        default:
            break
        }
        return response
    }

    private func wait(_ duration: Duration) async throws(TransportError) {
        do {
            try await self.clock.sleep(for: duration)
        } catch {
            throw Self.cancelled
        }
    }

    private func tell(_ text: String) {
        self.executor.note(text)
        self.ledger.tell("\(self.clock.now.offset)   \(text)")
    }

    private static let cancelled = TransportError(.cancelled, "The task was cancelled.")

    private static func response(_ status: Int, _ code: String?, _ retryAfter: Int?) -> TransportResponse {
        var response = TransportResponse(status: status)
        if let code {
            let text = "{\"requestError\":{\"serviceException\":{\"messageId\":\"\(code)\",\"text\":\"Faults.\"}}}"
            response = TransportResponse(status: status, body: Array(text.utf8))
            response.headers.append(name: "Content-Type", value: "application/json")
        }
        if let retryAfter { response.headers.append(name: "Retry-After", value: String(retryAfter)) }
        return response
    }

    private static func code(in response: TransportResponse) -> String? {
        Self.json(response)["requestError"]?["serviceException"]?["messageId"]?.string
    }

    private static func id(in response: TransportResponse) -> String? {
        Self.json(response)["pushRegId"]?.string
    }

    private static func json(_ response: TransportResponse) -> JSONValue {
        do {
            return try JSONReader.read(response.body)
        } catch {
            return .null
        }
    }
}
