// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

/// Erases users from batches; the queue calls it, because only the queue writes and removes batches.
protocol BatchErasure: Sendable {
    /// Reads all batches and dead letters on disk, and finds those that must change or go; it changes nothing.
    ///
    /// - Parameters:
    ///   - sequence: The last event that the queue has taken in.
    ///   - now: The time in milliseconds since 1970.
    /// - Returns: Their keys.
    /// - Throws: `SignetError` from the disk.
    func findBatches(upTo sequence: UInt64, now: Int64) throws(SignetError) -> FoundBatches

    /// Changes or removes batches and dead letters on disk, as they are now.
    ///
    /// - Parameters:
    ///   - found: Those to look at; one that is gone costs nothing.
    ///   - sequence: The last event that the queue has taken in.
    ///   - now: The time in milliseconds since 1970.
    /// - Throws: `SignetError` from the disk.
    mutating func erase(_ found: FoundBatches, upTo sequence: UInt64, now: Int64) throws(SignetError)

    /// Returns the batch without mentions of erased users; nil if nothing changes.
    mutating func erased(_ record: BatchRecord) -> BatchRecord?
}

/// The batches and dead letters that an erasure has read.
struct FoundBatches: Sendable {
    /// The keys of batches that must change or go.
    var batches: Set<[UInt8]> = []
    /// The keys of dead letters that must change or go.
    var deadLetters: Set<[UInt8]> = []
    /// The keys of all that were read.
    var read: Set<[UInt8]> = []
}

/// Removes the events of one installation; the queue calls it, because it must not send them meanwhile.
protocol EventRemoval: Sendable {
    /// The number of the installation.
    var number: UInt32 { get }
    var id: InstallationID { get }

    /// Removes the installation's events, batches and dead letters from disk.
    ///
    /// - Parameters:
    ///   - store: The store with batches and dead letters.
    ///   - journal: The events.
    ///   - removed: Receives the counts, also if the disk refuses the rest.
    /// - Throws: `SignetError` from the disk.
    func removeEvents(
        from store: StateStore,
        _ journal: Journal,
        _ removed: inout RemovedEvents
    ) throws(SignetError)
}

/// The numbers of events that were removed with their installation.
struct RemovedEvents: Sendable {
    /// In the journal.
    var events = 0
    /// In dead letters that waited for a resend.
    var resends = 0
    /// In dead letters.
    var deadLetters = 0
}
