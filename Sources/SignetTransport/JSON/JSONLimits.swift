//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// How much JSON to take from outside.
package struct JSONLimits: Sendable, Hashable {
    /// The deepest nesting that any reader accepts: each level costs stack.
    package static let maximumDepth = 512

    /// The most bytes of a document.
    package var bytes: Int
    /// The most arrays and objects inside each other; more than ``maximumDepth`` counts as that.
    package var depth: Int
    /// The most values of a document, counting arrays and objects themselves but not the names of members.
    package var values: Int

    /// Makes limits.
    package init(bytes: Int = 1 << 20, depth: Int = 32, values: Int = 100_000) {
        self.bytes = bytes
        self.depth = depth
        self.values = values
    }
}
