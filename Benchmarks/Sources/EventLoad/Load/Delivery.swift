//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Signet

/// How events go out, as far as this version of Signet lets an app choose.
enum Delivery: Sendable, CaseIterable {
    /// One batch a request.
    case single

    var name: String {
        switch self {
        case .single: "single batches"
        }
    }

    /// What a backlog over many installations should reach.
    var goal: Goal? {
        switch self {
        case .single: nil
        }
    }

    /// Sets it.
    func apply(to configuration: inout SignetConfiguration) {
        configuration.events.uploadInterval = .seconds(1)
    }
}
