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

    /// What a backlog over many installations should reach.
    var goal: Goal? {
        switch self {
        case .single: nil
        case .bulk: .atLeast(500_000)
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
