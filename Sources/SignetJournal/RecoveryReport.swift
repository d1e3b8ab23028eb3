//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What a start found on disk, and what it could not use.
///
/// What was set aside at an earlier start is not reported again.
package struct RecoveryReport: Sendable, Equatable {
    /// The live records or frames.
    package var records = 0

    /// The bytes of appends that a crash had cut short; they are in a file `....torn` now.
    ///
    /// No call had returned for them, unless the power was lost before a `sync`.
    package var tornBytes = 0

    /// The places where bytes were no longer what had been written, with copies in files `....damaged`, and the files
    /// without a sound header, which are called `....aside` now: whatever was in them is gone.
    package var damagedRecords = 0

    /// The frames of a journal that a crash left unfinished before others that are whole; no call had returned for them,
    /// unless the power was lost before a `sync`.
    ///
    /// They stay where they are, so that the next start counts them again until their file is removed.
    package var neverReturned = 0

    /// The keys whose newest record is damaged, in byte order; the record before it is valid again, if there is one.
    ///
    /// A record whose header is damaged too has no known key, and is counted only.
    package var damagedKeys: [[UInt8]] = []

    /// The names of files that were written or renamed to keep what could not be used, in byte order.
    package var setAsideFiles: [String] = []

    /// Makes a report of a clean start.
    package init() {}
}
