//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Where each position of a pattern leads while certain assertions are true.
struct PatternRows {
    private enum Row: UInt8 {
        case unknown
        case known
        /// The way leads to the end of the pattern.
        case found
    }

    /// The assertions that are true, one bit each.
    let holding: UInt32
    private var state: [Row]
    private var bits: [UInt64]

    init(_ program: PatternProgram, holding: UInt32) {
        self.holding = holding
        // One for each position, and one for the begin of the pattern.
        let count = program.positions.count + 1
        self.state = Array(repeating: .unknown, count: count)
        self.bits = Array(repeating: 0, count: count * program.words)
    }

    /// Adds the positions that one leads to.
    ///
    /// - Returns: Whether it leads to the end of the pattern.
    mutating func add(_ row: Int, _ program: PatternProgram, to set: UnsafeMutableBufferPointer<UInt64>) -> Bool {
        if self.state[row] == .unknown { self.make(row, program) }
        guard self.state[row] == .known else { return true }
        let start = row * program.words
        self.bits.withUnsafeBufferPointer { bits in
            for word in 0..<program.words {
                set[word] |= bits[start + word]
            }
        }
        return false
    }

    private mutating func make(_ row: Int, _ program: PatternProgram) {
        self.state[row] = .known
        let start = row == program.positions.count ? program.start : Int(program.states[program.positions[row]].next)
        var seen = Array(repeating: false, count: program.states.count)
        var stack = [start]
        seen[start] = true
        func visit(_ next: UInt32) {
            guard !seen[Int(next)] else { return }
            seen[Int(next)] = true
            stack.append(Int(next))
        }
        while let index = stack.popLast() {
            let state = program.states[index]
            switch state.kind {
            case .found: self.state[row] = .found
            case .split:
                visit(state.argument)
                visit(state.next)
            case .assertion:
                if self.holding & (1 << state.argument) != 0 { visit(state.next) }
            case .scalar, .foldedScalar, .set:
                let position = program.positionOfState[index]
                self.bits[row * program.words + position / 64] |= 1 << UInt64(position % 64)
            }
        }
    }
}
