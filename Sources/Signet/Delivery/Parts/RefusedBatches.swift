// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

/// The batches whose parts are searched for events that the platform refuses.
///
/// Each installation has one search at a time, as its batches go one at a time.
struct RefusedBatches: Sendable {
    private struct Entry: Sendable {
        var search: RefusalSearch
        /// The parts without an answer.
        var parts: Set<UUID>
    }

    private var entries: [UInt32: Entry] = [:]
    /// The searches in a row in which nothing was accepted: what is refused may be common to all batches.
    private var fruitless = 0

    /// Judges the refusal of a batch.
    ///
    /// - Parameters:
    ///   - id: The batch.
    ///   - installation: The number of its installation.
    ///   - events: The number of its events.
    /// - Returns: The consequence.
    mutating func refuse(_ id: UUID, of installation: UInt32, events: Int) -> RefusalSearch.Step {
        if self.entries[installation]?.parts.contains(id) != true {
            guard self.fruitless < RefusalSearch.enough else { return .giveUp }
            self.entries[installation] = Entry(search: RefusalSearch(among: events), parts: [id])
        }
        return self.entries[installation]?.search.refuse(events) ?? .giveUp
    }

    /// Records that a batch was halved, for whatever reason.
    mutating func halved(_ id: UUID, of installation: UInt32, into halves: [UUID]) {
        if self.entries[installation]?.parts.remove(id) != nil {
            self.entries[installation]?.parts.formUnion(halves)
        }
    }

    /// Records that a batch is gone: it was accepted, or became a dead letter, or its events go in other batches.
    mutating func ended(_ id: UUID, of installation: UInt32, isAccepted: Bool) {
        if isAccepted { self.fruitless = 0 }
        guard !self.entries.isEmpty, var entry = self.entries[installation], entry.parts.remove(id) != nil else {
            return
        }
        if isAccepted { entry.search.accept() }
        self.entries[installation] = entry.parts.isEmpty ? nil : entry
        if entry.parts.isEmpty, entry.search.isFruitless { self.fruitless += 1 }
    }
}
