// SPDX-License-Identifier: Apache-2.0

import Signet

/// What the requests of a server have done so far.
final class ServerTally: Sendable {
    /// The counts of one moment.
    struct Counts: Sendable {
        var opens = Histogram()
        var logs = Histogram()
        /// Page views that have begun and have not logged.
        var underWay = 0
        var calls = 0
        /// Refused because another call of the visitor was under way.
        var busyCalls = 0
        /// Refused by the platform, or timed out.
        var failedCalls = 0
    }

    private let state = Lock(Counts())

    var counts: Counts {
        self.state.withLock { $0 }
    }

    /// Page views that have begun and have not logged.
    var underWay: Int {
        self.state.withLock { $0.underWay }
    }

    func begin() {
        self.state.withLock { $0.underWay += 1 }
    }

    func logged(open: UInt64, log: UInt64) {
        self.state.withLock { counts in
            counts.underWay -= 1
            counts.opens.record(open)
            counts.logs.record(log)
        }
    }

    func called(_ error: SignetError? = nil) {
        self.state.withLock { counts in
            counts.calls += 1
            guard let error else { return }
            if error.code == .requestInProgress { counts.busyCalls += 1 } else { counts.failedCalls += 1 }
        }
    }
}
