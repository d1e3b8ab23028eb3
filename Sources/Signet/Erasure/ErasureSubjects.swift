// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The users to erase, known only by their hashes; each MPID is hashed once.
struct ErasureSubjects {
    let tombstones: [Tombstone]
    private var known: [MPID: Tombstone?] = [:]

    init(_ tombstones: [Tombstone]) {
        self.tombstones = tombstones
    }

    /// Returns true if a user is to be erased.
    mutating func contains(_ mpid: MPID) -> Bool {
        self.find(mpid) != nil
    }

    /// Returns true if an event of a user is to be erased.
    mutating func contains(_ mpid: MPID, _ sequence: UInt64) -> Bool {
        self.find(mpid).map { sequence <= $0.reach } ?? false
    }

    private mutating func find(_ mpid: MPID) -> Tombstone? {
        if let found = self.known[mpid] { return found }
        let found = self.tombstones.filter { $0.names(mpid) }.max { $0.reach < $1.reach }
        self.known[mpid] = .some(found)
        return found
    }
}
