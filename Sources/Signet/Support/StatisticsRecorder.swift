//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

/// Counts, from any thread.
final class StatisticsRecorder: Sendable {
    private let counts = Locked(SignetStatistics())

    /// The counts now.
    var current: SignetStatistics {
        self.counts.withLock { $0 }
    }

    /// Changes the counts.
    ///
    /// - Parameter body: Adds to what it counts.
    func record(_ body: (inout SignetStatistics) -> Void) {
        self.counts.withLock { body(&$0) }
    }

    /// A request goes out.
    func requestSent(_ endpoint: String) {
        self.record { $0.requestsSent[endpoint, default: 0] += 1 }
    }

    /// An event was not accepted.
    func eventRefused(_ code: SignetError.Code) {
        self.record { $0.eventsRefused[code, default: 0] += 1 }
    }
}
