// SPDX-License-Identifier: Apache-2.0

/// Decides which files of a journal are compacted, and when.
///
/// The number of acknowledgements so far is its clock.
struct CompactionPolicy: Sendable {
    /// The number of acknowledgements between a failed compaction and the next attempt.
    private static let pause = 64

    /// The number of small files above which they are merged.
    private static let smallFiles = 32

    private let segmentSize: UInt64

    /// The number of acknowledgements before which no compaction is tried, because the last one failed.
    private var pausedUntil = 0

    init(segmentSize: UInt64) {
        self.segmentSize = segmentSize
    }

    /// Puts off the next attempt, because one failed.
    mutating func postpone(at acknowledgements: Int) {
        self.pausedUntil = acknowledgements + Self.pause
    }

    /// True if sealed files have so many dead frames that compaction is due.
    func isDue(_ list: SegmentList, at acknowledgements: Int) -> Bool {
        guard acknowledgements >= self.pausedUntil else { return false }
        let frameBytes = list.sealedBytes - UInt64(list.sealed.count * FileHeader.size)
        let liveBytes = list.liveBytes - (list.newest?.liveBytes ?? 0)
        return frameBytes > 2 * liveBytes + self.segmentSize / 4
    }

    /// Returns the files whose live frames go to a new one next; nil when nothing has to be done.
    ///
    /// They are consecutive, and their live bytes make a new file of at most half a segment, because old and new files
    /// exist together for a while.
    func sources(_ list: SegmentList, at acknowledgements: Int) -> [JournalSegment]? {
        let sealed = list.sealed
        guard acknowledgements >= self.pausedUntil else { return nil }
        // A file without a frame has nothing to copy; it is removed once there is a newer one.
        if self.isDue(list, at: acknowledgements),
            let first = sealed.firstIndex(where: { $0.frames.index.count > 0 && $0.isSparse })
        {
            return self.run(sealed[first...], where: \.isSparse)
        }
        let small = self.segmentSize / 4
        guard sealed.count(where: { $0.end < small }) > Self.smallFiles else { return nil }
        for index in sealed.indices.dropLast() where sealed[index].end < small && sealed[index + 1].end < small {
            let run = self.run(sealed[index...]) { $0.end < small }
            if run.count > 1 { return run }
        }
        return nil
    }

    private func run(
        _ sealed: ArraySlice<JournalSegment>,
        where isWanted: (JournalSegment) -> Bool
    ) -> [JournalSegment] {
        var run: [JournalSegment] = []
        var bytes: UInt64 = 0
        for segment in sealed {
            bytes += segment.liveBytes
            guard run.isEmpty || bytes <= self.segmentSize / 2, segment.frames.index.count > 0, isWanted(segment),
                segment.top < (run.first ?? segment).header.base + UInt64(UInt32.max)
            else { break }
            run.append(segment)
        }
        return run
    }
}
