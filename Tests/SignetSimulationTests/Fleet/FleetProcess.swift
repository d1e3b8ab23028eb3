// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport

/// One replica: its folder, and the processes that live on it one after another.
final class FleetReplica {
    let index: Int
    var folder: DiskFolder
    var process: FleetProcess?
    /// The difference of its wall clock, in milliseconds.
    let skew = Locked<Int64>(0)
    var isAway = false

    init(_ index: Int) throws {
        self.index = index
        self.folder = try DiskFolder.temporary()
    }

    deinit {
        self.folder.remove()
    }
}

/// One process of a replica, and those who wait for it.
final class FleetProcess {
    let disk: CrashingDisk
    let store: MemorySharedStore
    let network: FleetNetwork
    let runtime: SignetRuntime
    private let executor: SeededExecutor
    private var tasks: [Task<Void, Never>] = []
    private let unfinished = Locked(0)
    /// The handles by the number of the installation.
    var handles: [Int: Installation] = [:]

    init(
        disk: CrashingDisk,
        store: MemorySharedStore,
        network: FleetNetwork,
        runtime: SignetRuntime,
        executor: SeededExecutor
    ) {
        (self.disk, self.store, self.network) = (disk, store, network)
        (self.runtime, self.executor) = (runtime, executor)
        self.spawn { [executor] in
            do throws(SignetError) { try await runtime.run() } catch { executor.note("run \(error.code)") }
        }
    }

    var isOver: Bool {
        self.unfinished.withLock { $0 == 0 }
    }

    func spawn(_ body: @escaping @Sendable () async -> Void) {
        self.unfinished.withLock { $0 += 1 }
        let unfinished = self.unfinished
        self.tasks.append(
            Task(executorPreference: self.executor) {
                await body()
                unfinished.withLock { $0 -= 1 }
            }
        )
    }

    func cancel() {
        for task in self.tasks { task.cancel() }
    }
}

/// The way of one process to the platform; it ends with the process.
final class FleetNetwork: Transport {
    private let emulator: Emulator
    private let book: FleetBook
    private let replica: Int
    private let isAlive: @Sendable () -> Bool
    private let now: @Sendable () -> Duration
    private let state: Locked<(generator: SeededGenerator, faults: NetworkFaults)>

    init(
        to emulator: Emulator,
        _ book: FleetBook,
        _ replica: Int,
        seed: UInt64,
        isAlive: @escaping @Sendable () -> Bool,
        now: @escaping @Sendable () -> Duration
    ) {
        (self.emulator, self.book, self.replica, self.isAlive, self.now) = (emulator, book, replica, isAlive, now)
        self.state = Locked((SeededGenerator(seed: seed), .fine))
    }

    func set(_ faults: NetworkFaults) {
        self.state.withLock { $0.faults = faults }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        // The dead say nothing, and neither do the cancelled.
        guard self.isAlive() else { throw TransportError(.notConnected, "The process is dead.") }
        guard !Task.isCancelled else { throw TransportError(.cancelled, "The task was cancelled.") }
        let exchange = Exchange(request)
        let stamp = exchange.installation
        if let stamp {
            self.book.begin(stamp, self.replica, at: self.now())
            self.book.check(exchange.previous, namedFor: stamp)
        }
        let isUpload = request.url.hasSuffix("events")
        if isUpload { self.book.with { $0.uploads += 1 } }
        defer { if isUpload { self.book.with { $0.uploads -= 1 } } }
        defer { if let stamp { self.book.end(stamp, self.replica) } }
        if let fault = self.state.withLock({ $0.faults.fault(on: exchange.endpoint, &$0.generator) }) {
            self.emulator.faults.inject(fault)
        }
        let answer = try await self.emulator.transport.send(request)
        guard self.isAlive() else { throw TransportError(.notConnected, "The process is dead.") }
        return answer
    }
}
