// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetLock
import SignetModel

/// One process on one device: a runtime, those who wait for it, and the disk and the network that end with it.
final class InfobipLife {
    let disk: CrashingDisk
    let network: InfobipNetwork
    let runtime: SignetRuntime
    let observer: InfobipObserver
    private let executor: SeededExecutor
    private var tasks: [Task<Void, Never>] = []
    private let unfinished = Locked(0)
    /// The handles by the number of the installation.
    var installations: [Int: Installation] = [:]

    init(
        disk: CrashingDisk,
        network: InfobipNetwork,
        runtime: SignetRuntime,
        observer: InfobipObserver,
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

    /// How many wait, `run()` among them.
    var waiting: Int {
        self.unfinished.withLock { $0 }
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

    /// The hard way: nobody waits any longer.
    func cancel() {
        for task in self.tasks { task.cancel() }
    }
}

/// Hears of damage, which only a loss of power may bring.
final class InfobipObserver: SignetObserver {
    private let state = Locked([String]())

    var damages: [String] {
        self.state.withLock { $0 }
    }

    func corruptionDetected(_ description: String) {
        self.state.withLock { $0.append(description) }
    }

    func stateNotSaved(installation: InstallationID, error: SignetError) {
        self.state.withLock { $0.append("not saved: \(error.code)") }
    }
}
