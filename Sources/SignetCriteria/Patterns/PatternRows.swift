// SPDX-License-Identifier: Apache-2.0

/// The positions that sets of positions lead to while certain assertions are true.
///
/// Positions are handled eight at a time; the target set of a combination is computed when it first occurs.
struct PatternRows {
    /// The assertions that are true, one bit each.
    let holding: UInt32

    private let words: Int
    private let closures: PatternClosures
    /// The target of each position, as an index into the bits of the closures; the last is the start of the pattern.
    private let rows: [Int]
    /// The positions that lead to the end of the pattern.
    private let ends: [UInt64]
    private let startEnds: Bool
    /// The index of the target set of each combination of eight positions; -1 for combinations that have not occurred.
    private var places: [Int32] = []
    private var sets: [UInt64] = []

    init(_ program: PatternProgram, holding: UInt32) {
        self.holding = holding
        self.words = program.words
        let closures = PatternClosures(program, holding: holding)
        var ends = Array(repeating: UInt64(0), count: program.words)
        var rows: [Int] = []
        rows.reserveCapacity(program.positions.count + 1)
        for (position, index) in program.positions.enumerated() {
            let next = Int(program.states[index].next)
            rows.append(closures.row(of: next))
            if closures.leadsToEnd(next) { ends[position / 64] |= 1 << UInt64(position % 64) }
        }
        rows.append(closures.row(of: program.start))
        self.closures = closures
        self.rows = rows
        self.ends = ends
        self.startEnds = closures.leadsToEnd(program.start)
    }

    /// Adds the targets of the pattern's start, and of positions that do not lead only to the next position.
    ///
    /// - Returns: True if the end of the pattern is reached.
    mutating func add(
        _ taking: UnsafeMutableBufferPointer<UInt64>,
        _ program: PatternProgram,
        to waiting: UnsafeMutableBufferPointer<UInt64>
    ) -> Bool {
        if self.startEnds { return true }
        for word in 0..<self.words where taking[word] & self.ends[word] != 0 { return true }
        self.closures.bits.withUnsafeBufferPointer { Self.add($0, self.rows[self.rows.count - 1], to: waiting) }
        for word in 0..<self.words {
            var rest = taking[word] & ~program.plain[word]
            while rest != 0 {
                let first = rest.trailingZeroBitCount
                let shift = UInt64(first & ~7)
                let combination = Int(rest >> shift & 0xFF)
                rest &= ~(0xFF << shift)
                if combination & (combination - 1) == 0 {
                    let row = self.rows[word * 64 + first]
                    self.closures.bits.withUnsafeBufferPointer { Self.add($0, row, to: waiting) }
                } else {
                    let set = self.set(of: combination, at: word * 64 + Int(shift))
                    self.sets.withUnsafeBufferPointer { Self.add($0, set, to: waiting) }
                }
            }
        }
        return false
    }

    private static func add(
        _ bits: UnsafeBufferPointer<UInt64>,
        _ start: Int,
        to set: UnsafeMutableBufferPointer<UInt64>
    ) {
        for word in set.indices {
            set[word] |= bits[start + word]
        }
    }

    /// Returns the index of the set that a combination of eight positions leads to, computing it the first time.
    private mutating func set(of combination: Int, at position: Int) -> Int {
        if self.places.isEmpty { self.places = Array(repeating: -1, count: self.words * 8 * 256) }
        let place = position / 8 * 256 + combination
        if self.places[place] >= 0 { return Int(self.places[place]) }
        let start = self.sets.count
        self.places[place] = Int32(start)
        self.sets.append(contentsOf: repeatElement(0, count: self.words))
        for bit in 0..<8 where combination & (1 << bit) != 0 {
            let row = self.rows[position + bit]
            for word in 0..<self.words {
                self.sets[start + word] |= self.closures.bits[row + word]
            }
        }
        return start
    }
}
