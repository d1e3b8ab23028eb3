// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// A record on disk that is needed again and again; its damage is reported once in a process.
enum DamagedThing: Hashable {
    /// The name of an installation, by its number.
    case name(UInt32)
    /// A context that an installation was opened with, by the context's number.
    case context(UInt32)
    /// The consent of a user.
    case consent(MPID)
}
