//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// The time of one user at Iterable: what is to be done for them, and which records are theirs.
///
/// It stays until all of that is answered, also when somebody else is in front of the installation by then.
struct IterableTurn: Sendable, Hashable {
    /// Who.
    var id: IterableUserID
    /// Whether the app has said who it is.
    var isKnown: Bool
    /// The first record that is theirs: of the visitor they were, if that is replayed.
    var from: UInt64
    /// The first record of their own; the visitor's come before it, an update of fields last.
    let born: UInt64
    /// The first record of somebody else; nil while they are in front of the installation.
    var end: UInt64?
    /// What is to be done before the records, in order.
    var tasks: [IterableTask]
    /// Who they are to the installation, should they be erased; nil where nobody was known there.
    var mpid: MPID?

    /// Whether a record is theirs.
    func owns(_ ordinal: UInt64) -> Bool {
        ordinal >= self.from && ordinal < self.end ?? .max
    }

    /// A task is done; another may stand in its place by now.
    mutating func removeTask(_ task: IterableTask) {
        if let index = self.tasks.firstIndex(of: task) { self.tasks.remove(at: index) }
    }
}
