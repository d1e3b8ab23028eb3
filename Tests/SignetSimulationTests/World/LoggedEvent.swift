// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// What the simulation knows of an event that it has logged.
struct LoggedEvent: Sendable {
    /// How `log` ended.
    enum Outcome: Sendable, Hashable {
        /// It returned: the event must arrive.
        case accepted
        /// It threw: the event must not arrive.
        case refused
        /// The process died meanwhile, or the power went before a flush: the event may arrive.
        case unknown
        /// Its installation has opted out, or its user was erased: the event must not arrive.
        case dropped
    }

    /// Which installation.
    let installation: Int
    /// The user at that moment; nil when nobody was known.
    let mpid: MPID?
    var outcome: Outcome
    /// Whether a flush has covered it.
    var isDurable = false
}
