//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// Whose the events are that were logged on an installation while nobody was known.
struct AnonymousAttribution: Sendable, Hashable {
    /// The last event that counts, by its number in the journal; those up to the inheritance before do not.
    let upTo: UInt64
    /// Their user; nil for one who was erased: then they are too.
    let heir: MPID?
}
