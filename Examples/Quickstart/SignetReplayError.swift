//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// A replay whose figures cannot be trusted.
enum SignetReplayError: Error, CustomStringConvertible {
    case newsDropped(Int)

    var description: String {
        switch self {
        case .newsDropped(let count): "\(count) changes were dropped before they could be counted."
        }
    }
}
