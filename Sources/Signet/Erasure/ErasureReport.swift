//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What an erasure has found and removed; see ``SignetRuntime/eraseUser(_:within:)``.
public struct ErasureReport: Sendable, Hashable {
    /// Installations that knew the user, open or not.
    public let installations: Int
    /// Events that were not delivered and never will be; in ``SignetStatistics/eventsDropped`` under
    /// ``DropCause/forgotten``.
    public let events: Int
    /// Batches that were on the wire, and had no answer in time.
    ///
    /// They may have arrived; whatever became of them counts for nothing. Their events are among ``events``.
    public let batchesAbandoned: Int
    /// Events of batches that were set aside.
    public let eventsDeadLettered: Int
    /// Alias requests that named the user; they are not sent.
    public let aliasRequests: Int
    /// Copies of damaged bytes that were removed, because nobody can tell whose they were.
    public let damagedCopies: Int

    /// Whether nothing was known of the user.
    public var isEmpty: Bool {
        self.installations == 0 && self.events == 0 && self.batchesAbandoned == 0 && self.eventsDeadLettered == 0
            && self.aliasRequests == 0
    }

    init(_ findings: ErasureFindings, events: Int, batchesAbandoned: Int) {
        self.installations = findings.installations
        self.events = events
        self.batchesAbandoned = batchesAbandoned
        self.eventsDeadLettered = findings.deadLetteredEvents
        self.aliasRequests = findings.aliasRequests
        self.damagedCopies = findings.damagedCopies
    }
}
