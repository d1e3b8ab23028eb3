// SPDX-License-Identifier: Apache-2.0

/// Counters that change when a request changes more than its own events.
package struct ProgressCounters: Sendable, Hashable {
    /// Users of the identity interface.
    package let users: Int
    /// Accepted aliases.
    package let aliases: Int
    /// Requests to the events interface.
    package let eventRequests: Int
    /// Batches whose user was found or created by their identities.
    package let resolvedBatches: Int
    /// Stored batches, forgotten ones included.
    package let storedBatches: Int
    /// Forgotten batches.
    package let forgottenBatches: Int
    /// The totals of the events interface.
    package let totals: EventTotals
}
