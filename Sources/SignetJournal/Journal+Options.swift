//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension Journal {
    /// How a journal uses the disk.
    package struct Options: Sendable, Equatable {
        /// What happens to an append beyond the limit.
        package enum OverflowPolicy: Sendable, Equatable {
            /// It throws `limitReached`.
            case refuse
            /// The oldest live frames are let go, and counted in `droppedFrames`.
            case dropOldest
        }

        /// How frames get into their files.
        package enum Storage: Sendable, Equatable {
            /// Into reserved space that is mapped into memory; written where the file system has none.
            case automatic
            /// With one `pwrite(2)` a frame.
            case written
        }

        /// A file has room for so many bytes; the next frame begins another one.
        ///
        /// Files are removed as a whole.
        package var segmentBytes = 8 << 20

        /// How many bytes of live frames are held at most; nil for as many as the disk takes.
        ///
        /// The files take about twice that and two segments. More where short frames wait among long ones that went, in files
        /// that are not mapped any more: of up to a sixteenth of the frames of a file it is not known how long they were, and
        /// those are taken for the shortest.
        package var limitBytes: UInt64?

        /// What happens at the limit.
        package var whenFull = OverflowPolicy.refuse

        /// How frames get into their files.
        package var storage = Storage.automatic

        /// The highest sequence that somebody has written down elsewhere: none up to it is given again, even where a loss of
        /// power took all its frames.
        package var usedSequence: UInt64 = 0

        /// Makes the usual options.
        package init() {}

        /// The room of a file, within what an offset of four bytes can name.
        var segmentSize: UInt64 {
            min(UInt64(max(0, self.segmentBytes)), Self.longestSegment)
        }

        /// How long a file gets, in bytes, where no new one can be made; then appends throw what keeps it from being made.
        ///
        /// More than 1 GiB counts as 1 GiB.
        package var growthBytes = 1 << 30

        /// The same, within what an offset of four bytes can name.
        var growthLimit: UInt64 {
            min(UInt64(max(0, self.growthBytes)), Self.longestSegment)
        }

        /// The longest file, in bytes, but for one with a single frame.
        static let longestSegment: UInt64 = 1 << 30
    }
}
