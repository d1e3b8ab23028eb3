// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

/// Consents of users as they were read last, so that a snapshot of the same user does not read the disk each time.
///
/// A consent counts as long as its record lies where it was read. A change and a compaction give the record another place,
/// a removal and an erasure none, from whichever part of the program they come.
struct ReadConsents: Sendable {
    private struct Entry: Sendable {
        let place: RecordPlace
        let consent: UserConsent
    }

    /// The most consents in memory; each has at most 16 KiB of JSON.
    static let limit = 256

    /// By the last digits of the user's MPID: the user who was read last replaces another one with the same digits.
    private var entries: [Int: Entry] = [:]

    /// The number of consents in memory.
    var count: Int { self.entries.count }

    private static func slot(of mpid: MPID) -> Int {
        Int(UInt64(bitPattern: mpid.rawValue) % UInt64(Self.limit))
    }

    /// The consent of a user whose record lies at a place; nil if it must be read.
    func consent(of mpid: MPID, at place: RecordPlace) -> UserConsent? {
        guard let entry = self.entries[Self.slot(of: mpid)], entry.place == place, entry.consent.mpid == mpid
        else { return nil }
        return entry.consent
    }

    /// True if it has a consent of a user.
    func holds(_ mpid: MPID) -> Bool {
        self.entries[Self.slot(of: mpid)]?.consent.mpid == mpid
    }

    /// Takes a consent that was read.
    ///
    /// - Parameters:
    ///   - consent: The consent.
    ///   - place: The place of its record before it was read; a newer record than the one there does no harm.
    mutating func take(_ consent: UserConsent, at place: RecordPlace) {
        self.entries[Self.slot(of: consent.mpid)] = Entry(place: place, consent: consent)
    }

    /// Removes a user from memory.
    mutating func forget(_ mpid: MPID) {
        if self.holds(mpid) { self.entries[Self.slot(of: mpid)] = nil }
    }
}
