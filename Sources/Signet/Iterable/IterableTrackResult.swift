//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What became of something that an app told of a visitor.
///
/// That it was stored locally is no failure: that is where a visitor's records belong.
public enum IterableTrackResult: Sendable, Hashable {
    /// Why nothing was done.
    public enum Reason: Sendable, Hashable, CaseIterable {
        /// The master switch is off, and nobody is known.
        case switchedOff
        /// Nobody is known, and the visitor has not agreed.
        case noConsent
        /// What the visitor has told of themselves has more than 64 KB with it.
        case tooLarge
        /// The installation has opted out.
        case optedOut
    }

    /// It is on disk and stays there until a criterion holds or the visitor becomes known; of the device, for every user of it.
    case buffered
    /// It is on disk and on its way to the service, for the user who is known there; `run()` delivers it.
    case queued
    /// Nothing was done.
    case ignored(Reason)
}
