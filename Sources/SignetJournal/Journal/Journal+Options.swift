// SPDX-License-Identifier: Apache-2.0

extension Journal {
    /// The disk use of a journal.
    package struct Options: Sendable {
        /// The policy for an append beyond the limit.
        package enum OverflowPolicy: Sendable, Equatable {
            /// The append throws `limitReached`.
            case refuse
            /// The oldest live frames are dropped, and counted in `droppedFrames`.
            case dropOldest
        }

        /// The way frames are written to files.
        package enum Storage: Sendable, Equatable {
            /// Through reserved space that is mapped into memory; as `written` if the file system does not support it.
            case automatic
            /// With one `pwrite(2)` per frame.
            case written
        }

        /// The capacity of a file, in bytes; the next frame starts another file.
        ///
        /// Files are removed as a whole.
        package var segmentBytes = 8 << 20

        /// The maximum bytes of live frames; nil for no limit but the disk.
        ///
        /// The files take about twice that and two segments; with `aside` three.
        package var limitBytes: UInt64?

        /// The policy for an append beyond the limit.
        package var whenFull = OverflowPolicy.refuse

        /// The way frames are written to files.
        package var storage = Storage.automatic

        /// Takes the upkeep that appends, acknowledgements and `sync` leave; nil to do it on the thread of the call.
        ///
        /// If it is set, only `sync`, `maintain`, `erase` and `close` wait for the medium. The upkeep also makes the
        /// next file before it is needed. An error of the upkeep goes to no caller: the next acknowledgement or
        /// `maintain` tries again, and `maintain` reports it.
        ///
        /// It must run each piece of work once, on any other thread, at any later time. At most one piece waits, and
        /// one that begins after `close` does nothing. It must not hold the journal.
        package var aside: (@Sendable (_ work: @escaping @Sendable () -> Void) -> Void)?

        /// The highest sequence that the caller has recorded elsewhere.
        ///
        /// No sequence up to it is assigned again, even if a power loss took all its frames.
        package var usedSequence: UInt64 = 0

        /// Makes the default options.
        package init() {}

        /// The capacity of a file, limited to offsets of four bytes.
        var segmentSize: UInt64 {
            min(UInt64(max(0, self.segmentBytes)), JournalSegment.longest)
        }

        /// The length to which a file may grow, in bytes, when no new one can be made.
        ///
        /// Beyond it, appends throw the error that prevents a new file.
        ///
        /// More than 1 GiB counts as 1 GiB.
        package var growthBytes = 1 << 30

        /// The same, limited to offsets of four bytes.
        var growthLimit: UInt64 {
            min(UInt64(max(0, self.growthBytes)), JournalSegment.longest)
        }
    }
}
