// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// The latest consents of a row's users, as this process last read or wrote them.
struct KnownConsents: Sendable {
    /// A consent with its tag in the store.
    struct Known: Sendable, Hashable {
        let record: UserConsent
        let tag: UUID

        init(_ record: UserConsent, tag: UUID) {
            self.record = record
            self.tag = tag
        }

        /// Reads a consent of the store.
        ///
        /// - Throws: `newerFormat`, or `storeFailed` for bytes that cannot be read.
        init(_ consent: SharedConsent) throws(SignetError) {
            self.init(try UserConsent(decoding: consent.state), tag: consent.tag)
        }
    }

    private struct Entry: Sendable, Hashable {
        let known: Known
        /// The uptime at which it was received; a reading that was sent before says nothing newer.
        let received: Duration
    }

    private var entries: [MPID: Entry] = [:]

    /// The consent of a user; nil for none.
    subscript(mpid: MPID) -> Known? {
        self.entries[mpid]?.known
    }

    /// Takes over a reading of the row.
    ///
    /// - Parameters:
    ///   - consents: The consents of all users of the row.
    ///   - sent: The uptime at which the question was sent.
    ///   - received: The uptime at which the answer was received.
    mutating func take(_ consents: [Known], sent: Duration, received: Duration) {
        let later = self.entries.filter { $0.value.received > sent }
        self.entries = Dictionary(
            consents.map { ($0.record.mpid, Entry(known: $0, received: received)) },
            uniquingKeysWith: { first, _ in first }
        )
        .merging(later) { read, known in read.known.record.version > known.known.record.version ? read : known }
    }

    /// Takes over the consent of one user, which was just read or written; nil for none.
    mutating func note(_ known: Known?, of mpid: MPID, at uptime: Duration) {
        self.entries[mpid] = known.map { Entry(known: $0, received: uptime) }
    }
}
