// SPDX-License-Identifier: Apache-2.0

/// The findings of a start, with the bytes that it could not use.
///
/// Bytes copied to aside files at an earlier start are not reported again.
package struct RecoveryReport: Sendable, Equatable {
    /// The number of live records or frames.
    package var records = 0

    /// The bytes of appends that a crash cut short; they are now in a file `....torn`.
    ///
    /// No call had returned for them, unless power was lost before a `sync`.
    package var tornBytes = 0

    /// The number of places with damaged bytes and of files without a sound header.
    ///
    /// Copies of damaged bytes are in files `....damaged`. A file without a sound header is now named `....aside`, and
    /// its content is lost.
    package var damagedRecords = 0

    /// The number of a journal's frames that a crash left unfinished before complete ones.
    ///
    /// No call had returned for them, unless power was lost before a `sync`.
    ///
    /// They stay in place, so the next start counts them again until their file is removed.
    package var neverReturned = 0

    /// The keys whose newest record is damaged, in byte order; the previous record is valid again, if there is one.
    ///
    /// A record whose header is damaged too has no known key, and is only counted.
    package var damagedKeys: [[UInt8]] = []

    /// The names of files that were written or renamed to keep unusable bytes, in byte order.
    package var setAsideFiles: [String] = []

    /// Makes a report of a clean start.
    package init() {}
}
