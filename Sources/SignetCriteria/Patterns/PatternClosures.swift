//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The positions that each state leads to without taking a scalar, while certain assertions are true.
///
/// States that lead to each other in a circle have one answer, which is made once all others that they lead to have theirs
/// (R. Tarjan: Depth-first search and linear graph algorithms, 1972): the work is that of looking at each way once, however
/// repetitions lie inside each other.
struct PatternClosures {
    /// The states between which there is a way forth and back have the same number.
    private var component: [Int]
    /// Of each component the positions, one set behind the other.
    private(set) var bits: [UInt64] = []
    /// Whether a component leads to the end of the pattern.
    private var finds: [Bool] = []

    private let program: PatternProgram
    private let holding: UInt32
    /// In which order the states were met, from 1, and the earliest that each leads to among those without an answer.
    private var order: [Int]
    private var earliest: [Int]
    private var met = 0
    /// The states without an answer, in the order in which they were met.
    private var open: [Int] = []

    init(_ program: PatternProgram, holding: UInt32) {
        self.program = program
        self.holding = holding
        let count = program.states.count
        self.component = Array(repeating: -1, count: count)
        self.order = Array(repeating: 0, count: count)
        self.earliest = Array(repeating: 0, count: count)
        for state in 0..<count where self.order[state] == 0 {
            self.visit(state)
        }
    }

    /// Whether a state leads to the end of the pattern.
    func leadsToEnd(_ state: Int) -> Bool {
        self.finds[self.component[state]]
    }

    /// Where in ``bits`` the positions of a state begin.
    func row(of state: Int) -> Int {
        self.component[state] * self.program.words
    }

    private mutating func visit(_ root: Int) {
        var ways: [(state: Int, next: Int)] = []
        func meet(_ state: Int) {
            self.met += 1
            self.order[state] = self.met
            self.earliest[state] = self.met
            self.open.append(state)
            ways.append((state, 0))
        }
        meet(root)
        while let (state, next) = ways.last {
            if let child = self.child(next, of: state) {
                ways[ways.count - 1].next += 1
                if self.order[child] == 0 {
                    meet(child)
                } else if self.component[child] < 0 {
                    self.earliest[state] = min(self.earliest[state], self.order[child])
                }
                continue
            }
            ways.removeLast()
            if let parent = ways.last?.state {
                self.earliest[parent] = min(self.earliest[parent], self.earliest[state])
            }
            if self.earliest[state] == self.order[state] { self.close(state) }
        }
    }

    /// Answers for all states that were met since this one, which lead to each other.
    private mutating func close(_ root: Int) {
        let (number, start) = (self.finds.count, self.bits.count)
        var members: [Int] = []
        while let state = self.open.popLast() {
            self.component[state] = number
            members.append(state)
            if state == root { break }
        }
        let words = self.program.words
        self.bits.append(contentsOf: repeatElement(0, count: words))
        var finds = false
        for state in members {
            switch self.program.states[state].kind {
            case .found: finds = true
            case .scalar, .foldedScalar, .set:
                let position = self.program.positionOfState[state]
                self.bits[start + position / 64] |= 1 << UInt64(position % 64)
            case .split, .assertion:
                for way in 0..<2 {
                    guard let child = self.child(way, of: state), self.component[child] != number else { continue }
                    finds = finds || self.leadsToEnd(child)
                    let row = self.row(of: child)
                    for word in 0..<words {
                        self.bits[start + word] |= self.bits[row + word]
                    }
                }
            }
        }
        self.finds.append(finds)
    }

    /// One of the at most two states that a state leads to.
    private func child(_ way: Int, of index: Int) -> Int? {
        let state = self.program.states[index]
        switch (state.kind, way) {
        case (.split, 0): return Int(state.next)
        case (.split, 1): return Int(state.argument)
        case (.assertion, 0): return self.holding & (1 << state.argument) != 0 ? Int(state.next) : nil
        default: return nil
        }
    }
}
