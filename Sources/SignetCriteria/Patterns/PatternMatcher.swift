// SPDX-License-Identifier: Apache-2.0

/// Follows all ways through a pattern at once.
///
/// The states that take a scalar are bits of a set. They are numbered so that in a plain sequence each is followed by
/// the next, and a shift advances them. The others have a row, the set of states that they lead to, for the assertions
/// that are true at that place.
struct PatternMatcher {
    private let program: PatternProgram
    private let text: [Unicode.Scalar]
    private let words: Int
    /// The states that take each kind of scalar seen so far, one set after the other.
    private var accepting: [UInt64] = []
    private var acceptingAt: [Unicode.Scalar: Int] = [:]
    private var acceptingOf: [ScalarKind: Int] = [:]
    /// The rows for each combination of true assertions seen so far.
    private var rows: [PatternRows] = []

    init(_ program: PatternProgram, _ text: [Unicode.Scalar]) {
        self.program = program
        self.text = text
        self.words = program.words
    }

    /// Returns true if the pattern is found anywhere.
    mutating func isFound() -> Bool {
        let words = self.words
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 4 * words) { room in
            room.initialize(repeating: 0)
            // The states that wait for a scalar; those of the place before that took it, and the states they led to.
            let waiting = UnsafeMutableBufferPointer(rebasing: room[..<words])
            let taking = UnsafeMutableBufferPointer(rebasing: room[words..<2 * words])
            let took = UnsafeMutableBufferPointer(rebasing: room[2 * words..<3 * words])
            let led = UnsafeMutableBufferPointer(rebasing: room[(3 * words)...])
            var last = -1
            for place in 0...self.text.count {
                if place > 0 {
                    self.take(self.text[place - 1], waiting, taking)
                }
                let rows = self.rows(at: place)
                if rows == last, taking.elementsEqual(took) {
                    _ = waiting.update(from: led)
                    continue
                }
                if self.follow(taking, to: waiting, rows) { return true }
                last = rows
                _ = took.update(from: taking)
                _ = led.update(from: waiting)
            }
            return false
        }
    }

    /// Selects the waiting states that take a scalar.
    private mutating func take(
        _ scalar: Unicode.Scalar,
        _ waiting: UnsafeMutableBufferPointer<UInt64>,
        _ taking: UnsafeMutableBufferPointer<UInt64>
    ) {
        let start: Int
        if let known = self.acceptingAt[scalar] {
            start = known
        } else {
            // Few texts have more distinct scalars than this; clearing keeps memory from growing with the text.
            if self.acceptingAt.count == 4096 {
                self.acceptingAt.removeAll(keepingCapacity: true)
                self.acceptingOf.removeAll(keepingCapacity: true)
                self.accepting.removeAll(keepingCapacity: true)
            }
            let facts = ScalarFacts(scalar, folds: self.program.folds)
            let kind = ScalarKind(facts, self.program.boundaries)
            if let known = self.acceptingOf[kind] {
                start = known
            } else {
                start = self.accepting.count
                self.accepting += self.program.accepting(facts)
                self.acceptingOf[kind] = start
            }
            self.acceptingAt[scalar] = start
        }
        for word in 0..<self.words {
            taking[word] = waiting[word] & self.accepting[start + word]
        }
    }

    /// Advances the states that took the scalar, and starts the pattern again.
    ///
    /// - Returns: True if the pattern is found.
    private mutating func follow(
        _ taking: UnsafeMutableBufferPointer<UInt64>,
        to waiting: UnsafeMutableBufferPointer<UInt64>,
        _ index: Int
    ) -> Bool {
        var carry: UInt64 = 0
        for word in 0..<self.words {
            let plain = taking[word] & self.program.plain[word]
            waiting[word] = plain << 1 | carry
            carry = plain >> 63
        }
        return self.rows[index].add(taking, self.program, to: waiting)
    }

    /// The index of the rows for the assertions that are true at a place.
    private mutating func rows(at place: Int) -> Int {
        var holding: UInt32 = 0
        for assertion in self.program.assertions where assertion.holds(in: self.text, at: place) {
            holding |= 1 << assertion.rawValue
        }
        if let index = self.rows.firstIndex(where: { $0.holding == holding }) { return index }
        self.rows.append(PatternRows(self.program, holding: holding))
        return self.rows.count - 1
    }
}
