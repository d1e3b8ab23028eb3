// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetTestSupport
import SignetTransport

/// The way of one process to the platform; it ends with the process.
final class SimulatedNetwork: Transport {
    private struct State {
        var generator: SeededGenerator
        var faults = NetworkFaults.fine
    }

    private let emulator: Emulator
    private let ledger: NetworkLedger
    private let executor: SeededExecutor
    private let isAlive: @Sendable () -> Bool
    private let state: Locked<State>

    /// Makes a way.
    ///
    /// - Parameters:
    ///   - emulator: The platform.
    ///   - ledger: Is told of each exchange.
    ///   - executor: Writes the exchanges down.
    ///   - seed: Chooses the faults.
    ///   - isAlive: Whether the process still is.
    init(
        to emulator: Emulator,
        ledger: NetworkLedger,
        executor: SeededExecutor,
        seed: UInt64,
        isAlive: @escaping @Sendable () -> Bool
    ) {
        self.emulator = emulator
        self.ledger = ledger
        self.executor = executor
        self.isAlive = isAlive
        self.state = Locked(State(generator: SeededGenerator(seed: seed)))
    }

    /// What goes wrong from now on.
    func set(_ faults: NetworkFaults) {
        self.state.withLock { $0.faults = faults }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        // The dead say nothing.
        guard self.isAlive() else { throw TransportError(.notConnected, "The process is dead.") }
        // Nor do the cancelled; the fault would wait for somebody else.
        guard !Task.isCancelled else { throw TransportError(.cancelled, "The task was cancelled.") }
        let exchange = Exchange(request)
        self.ledger.begin(exchange)
        self.executor.note(exchange.endpoint)
        self.executor.note("\(exchange.batches.map(\.events))")
        if let fault = self.state.withLock({ $0.faults.fault(on: exchange.endpoint, &$0.generator) }) {
            self.emulator.faults.inject(fault)
        }
        let result: Result<TransportResponse, TransportError>
        do throws(TransportError) {
            result = .success(try await self.emulator.transport.send(request))
        } catch {
            result = .failure(error)
        }
        guard self.isAlive() else { throw TransportError(.notConnected, "The process is dead.") }
        self.ledger.end(exchange, result)
        return try result.get()
    }
}
