// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Attributes events logged on an installation before its first user to a user.
struct AnonymousAttribution: Sendable, Hashable {
    /// The number of the last attributed event in the journal; events up to the previous attribution do not count.
    let upTo: UInt64
    /// The user of the events; nil if that user was erased: the events are erased too.
    let mpid: MPID?
}
