// SPDX-License-Identifier: Apache-2.0

import SignetJournal

/// The places of the frames in sessions that earlier processes left in the journal, by installation.
///
/// It takes 8 bytes a frame, up to a limit of frames; those after it must be looked for in the journal.
struct SessionFrameIndex: Sendable {
    /// The number of an installation in the upper half, the distance from the first frame in the lower half; ascending.
    private var places: [UInt64] = []
    private var first: UInt64 = 0
    /// The last frame that it knows about.
    private(set) var covered: UInt64 = 0

    /// The most frames: 64 MiB.
    static let limit = 8_388_608

    /// Reads the metadata of the journal's frames.
    ///
    /// - Parameters:
    ///   - journal: The journal.
    ///   - last: The last frame to index.
    ///   - limit: The most frames.
    /// - Throws: An error if the disk cannot be read.
    init(_ journal: Journal, upTo last: UInt64, limit: Int = Self.limit) throws(SignetError) {
        var after: UInt64 = 0
        var isCut = false
        while after < last, self.places.count < limit, !isCut {
            let seen: UInt64?
            do throws(StorageError) {
                let portion = min(65_536, limit - self.places.count)
                seen = try journal.visit(after: after, limit: portion) { sequence, stamp, _ in
                    guard sequence <= last else { return }
                    if self.first == 0 { self.first = sequence }
                    guard sequence - self.first <= UInt32.max else { return isCut = true }
                    self.covered = sequence
                    guard let tag = EventMetadata(stamp), tag.place != .outside else { return }
                    self.places.append(UInt64(tag.installation) << 32 | (sequence - self.first))
                }
            } catch {
                throw SignetError(error)
            }
            guard let seen else { break }
            after = seen
        }
        if !isCut, self.places.count < limit { self.covered = last }
        self.places.sort()
    }

    /// The installations with frames, ascending.
    var installations: [UInt32] {
        var numbers: [UInt32] = []
        for place in self.places where numbers.last != UInt32(place >> 32) { numbers.append(UInt32(place >> 32)) }
        return numbers
    }

    /// The frames of an installation after one, ascending.
    func sequences(of installation: UInt32, after sequence: UInt64) -> [UInt64] {
        let distance = sequence < self.first ? 0 : min(UInt64(UInt32.max), sequence - self.first + 1)
        let start = self.index(of: UInt64(installation) << 32 | distance)
        let end = self.index(of: (UInt64(installation) + 1) << 32)
        guard start < end else { return [] }
        return self.places[start..<end].map { $0 & UInt64(UInt32.max) + self.first }
    }

    private func index(of place: UInt64) -> Int {
        var (low, high) = (0, self.places.count)
        while low < high {
            let middle = (low + high) / 2
            if self.places[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
