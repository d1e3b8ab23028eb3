// SPDX-License-Identifier: Apache-2.0

import Signet

/// The outcome of a call that tracks something for a visitor.
///
/// Local storage is no failure: a visitor's records belong there.
public enum IterableTrackResult: Sendable, Hashable {
    /// The reason that a call was ignored.
    public enum Reason: Sendable, Hashable, CaseIterable {
        /// The master switch is off, and there is no known user.
        case switchedOff
        /// There is no known user, and the visitor has not given consent.
        case noConsent
        /// The visitor's fields would exceed 64 KB with this update.
        case tooLarge
        /// The installation has opted out.
        case optedOut
    }

    /// It is on disk and stays there until a criterion matches or the visitor becomes known.
    ///
    /// Data of the device stays for every user of it.
    case buffered
    /// It is on disk and queued for the user who is known to Iterable; `run()` delivers it.
    case queued
    /// The call had no effect.
    case ignored(Reason)
}
