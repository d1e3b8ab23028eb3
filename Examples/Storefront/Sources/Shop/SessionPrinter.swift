// SPDX-License-Identifier: Apache-2.0

import Logging
import ServiceLifecycle
import Signet

/// Tells the log when a session has ended: a subscriber of the runtime's updates, as a service of its own.
struct SessionPrinter: Service {
    private let changes: Updates<SessionChange>
    private let logger: Logger

    /// Subscribes now, so that nothing is missed before the group runs it.
    init(_ signet: SignetRuntime, logger: Logger) {
        self.changes = signet.sessionChanges()
        self.logger = logger
    }

    // The stream ends after the last change of the runtime's shutdown; a group wants each service to end in its own turn,
    // which is after that.
    func run() async throws {
        for await change in self.changes {
            guard case .ended(let summary) = change.kind else { continue }
            self.logger.info(
                "A session has ended.",
                metadata: [
                    "reason": "\(change.endReason ?? .timeout)", "length": "\(summary.length)",
                    "events": "\(summary.eventCount)",
                ]
            )
        }
        try await gracefulShutdown()
    }
}
