// SPDX-License-Identifier: Apache-2.0

/// The figures that the generated program prints, among lines of the library.
struct SegmentFigures: Equatable {
    /// The first word of their line.
    static let mark = "segment-figures"

    /// Seconds.
    let wall: Double
    let processor: Double
    /// Nanoseconds a call.
    let p50: Double
    let p99: Double
    let p999: Double

    /// Reads a line that a program has printed; nil when it is another one.
    init?(line: String) {
        let words = line.split(separator: " ")
        guard words.first == Self.mark[...], words.count == 6 else { return nil }
        let values = words.dropFirst().compactMap { Double($0) }
        guard values.count == 5 else { return nil }
        self.wall = values[0]
        self.processor = values[1]
        self.p50 = values[2]
        self.p99 = values[3]
        self.p999 = values[4]
    }
}
