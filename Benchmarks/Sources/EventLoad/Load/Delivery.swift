// SPDX-License-Identifier: Apache-2.0

import Signet

/// How events go out.
enum Delivery: Sendable, CaseIterable {
    /// One batch a request.
    case single
    /// Batches of several installations in a request.
    case bulk

    var name: String {
        switch self {
        case .single: "single batches"
        case .bulk: "bulk"
        }
    }

    /// What a backlog over many installations should reach, in events a second.
    func throughputGoal(at sink: Sink.Kind) -> Goal? {
        switch (self, sink) {
        case (.bulk, .inProcess): .atLeast(500_000)
        case (.single, .http): .atLeast(200_000)
        case (.bulk, .http), (.single, .inProcess): nil
        }
    }

    /// The time of a backlog over HTTP against that of the same requests without Signet.
    var timeGoal: Goal? {
        switch self {
        case .single: nil
        case .bulk: .atMost(4)
        }
    }

    /// Sets it, without the platform's own limit of batches a second: a sink has none.
    func apply(to configuration: inout SignetConfiguration) {
        configuration.events.uploadInterval = .seconds(1)
        configuration.events.maximumBatchesPerSecond = nil
        configuration.events.uploadMode =
            switch self {
            case .single: .single
            case .bulk: .bulk
            }
    }
}
