// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Counts the runtime's statistics, from any thread.
package final class StatisticsRecorder: Sendable {
    private let counts = Locked(SignetStatistics())

    package var current: SignetStatistics {
        self.counts.withLock { $0 }
    }

    /// Changes the counts.
    ///
    /// - Parameter body: Changes the counts under the lock.
    package func record(_ body: (inout SignetStatistics) -> Void) {
        self.counts.withLock { body(&$0) }
    }

    /// Counts a sent request.
    package func requestSent(_ endpoint: String) {
        self.record { $0.requestsSent[endpoint, default: 0] += 1 }
    }

    /// Counts a refused event.
    package func eventRefused(_ code: SignetError.Code) {
        self.record { $0.eventsRefused[code, default: 0] += 1 }
    }
}
