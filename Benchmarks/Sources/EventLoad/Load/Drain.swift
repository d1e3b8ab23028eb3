// SPDX-License-Identifier: Apache-2.0

import Signet

/// Sends everything that waits.
enum Drain {
    /// Runs a runtime until nothing that can be sent is left, and ends it.
    ///
    /// A shutdown before `run()` has begun would send nothing: it is called when requests are under way, or nothing waits.
    static func all(of runtime: SignetRuntime) async throws -> ShutdownReport {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await runtime.run() }
            while runtime.statistics.requestsSent.isEmpty, runtime.statistics.eventsWaiting > 0 {
                try await Task.sleep(for: .milliseconds(1))
            }
            let report = await runtime.shutdown(within: .seconds(600))
            try await group.waitForAll()
            return report
        }
    }
}
