//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension Journal {
    /// How a journal stores its frames.
    package struct Options: Sendable {
        /// A file of that many bytes is sealed, and the next one begun.
        ///
        /// Files are removed as a whole.
        package var segmentBytes = 8 << 20

        /// The most bytes that live frames may take; nil for what the disk has.
        package var limitBytes: UInt64?

        /// What happens at the limit.
        package var whenFull = WhenFull.refuse

        /// How bytes get into the kernel.
        package var storage = Storage.automatic

        /// Makes the defaults.
        package init() {}
    }

    /// What happens to a frame for which there is no room.
    package enum WhenFull: Sendable, Hashable {
        /// It is refused: the caller learns it.
        case refuse
        /// The oldest frames make room; they are counted.
        case dropOldest
    }

    /// How bytes get into the kernel.
    package enum Storage: Sendable, Hashable {
        /// Copied into a mapped file where the file system can map; otherwise written.
        case automatic
        /// Written, one call a frame.
        case written
    }
}
