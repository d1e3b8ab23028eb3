// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetLock
import SignetModel

/// One process of a simulation, from its start to its end: a runtime, who holds its installations, and who waits for it.
final class Life {
    let disk: CrashingDisk
    let network: SimulatedNetwork
    let runtime: SignetRuntime
    let observer: SimulationObserver
    private let executor: SeededExecutor
    private var tasks: [Task<Void, Never>] = []
    private let unfinished = Locked(0)
    /// The handles by the number of the installation.
    var installations: [Int: Installation] = [:]

    init(
        disk: CrashingDisk,
        network: SimulatedNetwork,
        runtime: SignetRuntime,
        observer: SimulationObserver,
        executor: SeededExecutor
    ) {
        self.disk = disk
        self.network = network
        self.runtime = runtime
        self.observer = observer
        self.executor = executor
        self.spawn { [executor] in
            do throws(SignetError) {
                try await runtime.run()
            } catch {
                executor.note("run \(error.code)")
            }
        }
    }

    /// Whether everybody who waited has an answer, and `run()` has returned.
    var isOver: Bool {
        self.unfinished.withLock { $0 == 0 }
    }

    /// Somebody begins to wait for the runtime.
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

    /// Somebody makes an identity call; how it ends is written down.
    func call(_ name: String, _ body: @escaping @Sendable () async throws(SignetError) -> Void) {
        let executor = self.executor
        self.spawn {
            do throws(SignetError) {
                try await body()
                executor.note(name)
            } catch {
                executor.note("\(name) \(error.code)")
            }
        }
    }

    /// The hard way: nobody waits any longer.
    func cancel() {
        for task in self.tasks { task.cancel() }
    }
}
