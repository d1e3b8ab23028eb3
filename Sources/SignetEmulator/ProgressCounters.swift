//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// How far a platform has come: what changes when a request changes more than the events that it brings.
package struct ProgressCounters: Sendable, Hashable {
    /// Users of the identity interface.
    package let users: Int
    /// Aliases that were taken.
    package let aliases: Int
    /// Requests to the events interface.
    package let eventRequests: Int
    /// Batches whose user was found, or made, by their identities.
    package let resolvedBatches: Int
    /// Batches that were stored, forgotten or not.
    package let storedBatches: Int
    /// Batches that were forgotten.
    package let forgottenBatches: Int
    /// How much came to the events interface.
    package let totals: EventTotals
}
