// SPDX-License-Identifier: Apache-2.0

/// Counts of the events interface, forgotten batches included.
package struct EventTotals: Sendable, Hashable {
    /// Accepted batches.
    package var batches = 0
    /// Events of the accepted batches.
    package var events = 0
    /// Repeated batches.
    package var repetitions = 0
    /// Refused batches.
    package var refused = 0

    init() {}
}
