//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Follows all ways of a pattern through a text at once.
struct PatternMatcher {
    private let program: PatternProgram
    private let text: [Unicode.Scalar]

    /// What is known of a place or a scalar only once it was asked for.
    private enum Answer {
        case unknown
        case known(Bool)
    }

    private var wordBoundary = Answer.unknown

    init(_ program: PatternProgram, _ text: [Unicode.Scalar]) {
        self.program = program
        self.text = text
    }

    /// Whether the pattern is found anywhere.
    mutating func isFound() -> Bool {
        let count = self.program.states.count
        return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 3 * count + self.program.sets.count) { room in
            room.initialize(repeating: 0)
            return self.program.states.withUnsafeBufferPointer { states in
                self.isFound(
                    states,
                    marks: UnsafeMutableBufferPointer(rebasing: room[..<count]),
                    waiting: UnsafeMutableBufferPointer(rebasing: room[count..<2 * count]),
                    stack: UnsafeMutableBufferPointer(rebasing: room[2 * count..<3 * count]),
                    members: UnsafeMutableBufferPointer(rebasing: room[(3 * count)...])
                )
            }
        }
    }

    /// - Parameters:
    ///   - states: The program.
    ///   - marks: At which place, from 1, a state was reached last.
    ///   - waiting: The states that take the next scalar.
    ///   - stack: The states that are to be followed at this place.
    ///   - members: For each set twice the place, from 1, at which it was asked last, and 1 for yes.
    /// - Returns: Whether it is found.
    private mutating func isFound(
        _ states: UnsafeBufferPointer<PatternProgram.State>,
        marks: UnsafeMutableBufferPointer<UInt32>,
        waiting: UnsafeMutableBufferPointer<UInt32>,
        stack: UnsafeMutableBufferPointer<UInt32>,
        members: UnsafeMutableBufferPointer<UInt32>
    ) -> Bool {
        var depth = 0
        for place in 0...self.text.count {
            let mark = UInt32(truncatingIfNeeded: place + 1)
            self.wordBoundary = .unknown
            // Those that took the scalar before lie on the stack, marked; a match may also begin here.
            if marks[self.program.start] != mark {
                marks[self.program.start] = mark
                stack[depth] = UInt32(self.program.start)
                depth += 1
            }
            var count = 0
            while depth > 0 {
                depth -= 1
                let index = stack[depth]
                let state = states[Int(index)]
                switch state.kind {
                case .found: return true
                case .scalar, .foldedScalar, .set:
                    waiting[count] = index
                    count += 1
                    continue
                case .split:
                    if marks[Int(state.argument)] != mark {
                        marks[Int(state.argument)] = mark
                        stack[depth] = state.argument
                        depth += 1
                    }
                case .assertion:
                    guard self.holds(state.argument, at: place) else { continue }
                }
                if marks[Int(state.next)] != mark {
                    marks[Int(state.next)] = mark
                    stack[depth] = state.next
                    depth += 1
                }
            }
            guard place < self.text.count else { break }
            let scalar = self.text[place]
            let folded = ScalarCase.folded(scalar)
            for index in 0..<count {
                let state = states[Int(waiting[index])]
                let takes =
                    switch state.kind {
                    case .scalar: state.argument == scalar.value
                    case .foldedScalar: state.argument == folded.value
                    default: self.isMember(scalar, Int(state.argument), mark, members)
                    }
                if takes, marks[Int(state.next)] != mark + 1 {
                    marks[Int(state.next)] = mark + 1
                    stack[depth] = state.next
                    depth += 1
                }
            }
        }
        return false
    }

    private func isMember(
        _ scalar: Unicode.Scalar,
        _ index: Int,
        _ mark: UInt32,
        _ members: UnsafeMutableBufferPointer<UInt32>
    ) -> Bool {
        let last = members[index]
        if last >> 1 == mark { return last & 1 == 1 }
        let (set, folds) = self.program.sets[index]
        let isMember = set.contains(scalar, folds: folds)
        members[index] = mark << 1 | (isMember ? 1 : 0)
        return isMember
    }

    private mutating func holds(_ assertion: UInt32, at place: Int) -> Bool {
        let count = self.text.count
        switch PatternNode.Assertion(rawValue: assertion) {
        case .start: return place == 0
        case .end: return place == count
        case .lineStart:
            guard place > 0 else { return true }
            // Not at the end, and not inside of a carriage return with its line feed.
            return place < count && ScalarProperty.isLineEnd(self.text[place - 1]) && !self.isInsideLineEnd(place)
        case .lineEnd:
            return place == count || ScalarProperty.isLineEnd(self.text[place]) && !self.isInsideLineEnd(place)
        case .endOrLastLine:
            if place == count { return true }
            if place == count - 2 { return self.text[place] == "\r" && self.text[place + 1] == "\n" }
            return place == count - 1 && ScalarProperty.isLineEnd(self.text[place]) && !self.isInsideLineEnd(place)
        case .wordBoundary: return self.isWordBoundary(place)
        case .noWordBoundary: return !self.isWordBoundary(place)
        case nil: return false
        }
    }

    private func isInsideLineEnd(_ place: Int) -> Bool {
        place > 0 && place < self.text.count && self.text[place - 1] == "\r" && self.text[place] == "\n"
    }

    private mutating func isWordBoundary(_ place: Int) -> Bool {
        if case .known(let answer) = self.wordBoundary { return answer }
        let before = place > 0 && ScalarProperty.isWord(self.text[place - 1])
        let behind = place < self.text.count && ScalarProperty.isWord(self.text[place])
        self.wordBoundary = .known(before != behind)
        return before != behind
    }
}
