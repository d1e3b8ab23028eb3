//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// How much came to the events interface, forgotten or not.
package struct EventTotals: Sendable, Hashable {
    /// Batches that were taken.
    package var batches = 0
    /// Events of those.
    package var events = 0
    /// Batches that came again.
    package var repetitions = 0
    /// Batches that were refused.
    package var refused = 0

    init() {}
}
