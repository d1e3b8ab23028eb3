// SPDX-License-Identifier: Apache-2.0

/// The positions that each state reaches without taking a scalar, for one set of true assertions.
///
/// States in a cycle share one result, computed after those of all other states that they lead to (R. Tarjan:
/// Depth-first search and linear graph algorithms, 1972). Each transition is followed once, however deeply repetitions
/// are nested.
struct PatternClosures {
    /// The component of each state; states that reach each other have the same number.
    private var component: [Int]
    /// The positions of each component, one set after the other.
    private(set) var bits: [UInt64] = []
    /// True for a component that leads to the end of the pattern.
    private var finds: [Bool] = []

    private let program: PatternProgram
    private let holding: UInt32
    /// The order in which the states were met, from 1, and the earliest unfinished state that each leads to.
    private var order: [Int]
    private var earliest: [Int]
    private var met = 0
    /// The unfinished states, in the order in which they were met.
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

    /// True if a state leads to the end of the pattern.
    func leadsToEnd(_ state: Int) -> Bool {
        self.finds[self.component[state]]
    }

    /// The index in ``bits`` at which the positions of a state begin.
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

    /// Finishes all states that were met since this one; they reach each other.
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

    /// One of the at most two next states of a state.
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
