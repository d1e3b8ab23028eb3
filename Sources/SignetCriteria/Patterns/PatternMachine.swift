// SPDX-License-Identifier: Apache-2.0

/// Follows all ways through a pattern at once, scalar by scalar.
///
/// At each place of the text it has a list of the states that take the next scalar. A state is met once per place,
/// however many ways lead there, so that a place takes at most as many steps as the pattern has states.
///
/// K. Thompson: Regular Expression Search Algorithm, 1968; R. Cox: Regular Expression Matching: the Virtual Machine
/// Approach, 2009, where this form of it is called Pike's.
struct PatternMachine: ~Copyable {
    private let program: PatternProgram
    private let text: [Unicode.Scalar]
    /// The number of scalars before the place.
    private var place = 0
    /// The assertions that are true at the place, one bit each.
    private var holding: UInt32 = 0
    /// The scalar after the place, and its other cases if the pattern ignores case anywhere; none at the end.
    private var forms: [ScalarTraits] = []
    /// The first and the last of them; at the end of the text numbers of no scalar.
    private var (scalar, folded) = (UInt32.max, UInt32.max)
    /// For each set, the place for which it was last asked, and its answer.
    private var answers: [(place: Int, isMember: Bool)]
    /// For each state, the place at which it was last met.
    ///
    /// The memory is unchecked, as that of the lists: this is the inner loop.
    private let met: UnsafeMutablePointer<UInt32>
    /// The states that take the scalar after the place, and those that took the one before it.
    private var taking: List
    private var took: List
    /// States that are still to be met at the place.
    private var open: List

    /// A list with room for each state once.
    private struct List {
        let states: UnsafeMutablePointer<UInt32>
        var count = 0

        init(room: Int) {
            self.states = .allocate(capacity: room)
        }

        mutating func append(_ state: UInt32) {
            self.states[self.count] = state
            self.count += 1
        }
    }

    init(_ program: PatternProgram, _ text: String) {
        self.program = program
        self.text = Array(text.unicodeScalars)
        self.answers = Array(repeating: (-1, false), count: program.sets.count)
        let count = program.states.count
        self.met = .allocate(capacity: count)
        self.met.initialize(repeating: .max, count: count)
        self.taking = List(room: count)
        self.took = List(room: count)
        self.open = List(room: count)
    }

    deinit {
        self.met.deallocate()
        self.taking.states.deallocate()
        self.took.states.deallocate()
        self.open.states.deallocate()
    }

    /// Returns true if the pattern is found anywhere.
    mutating func isFound() -> Bool {
        self.program.states.withUnsafeBufferPointer { states in
            let start = UInt32(self.program.start)
            while true {
                self.lookAround()
                for index in 0..<self.took.count {
                    if self.meet(states[Int(self.took.states[index])].next, states) { return true }
                }
                // The pattern may begin anywhere.
                if self.meet(start, states) { return true }
                guard self.place < self.text.count else { return false }
                self.place += 1
                swap(&self.taking, &self.took)
                self.taking.count = 0
            }
        }
    }

    /// Looks up what the states ask for at the place.
    private mutating func lookAround() {
        self.holding = 0
        for assertion in self.program.assertions where assertion.holds(in: self.text, at: self.place) {
            self.holding |= 1 << assertion.rawValue
        }
        if self.place == self.text.count {
            self.forms = []
        } else if self.forms.first?.scalar != self.text[self.place] {
            self.forms = ScalarTraits.forms(of: self.text[self.place], folds: self.program.folds)
        }
        self.scalar = self.forms.first?.scalar.value ?? .max
        self.folded = self.forms.last?.scalar.value ?? .max
    }

    /// Meets a state, and the states that it leads to without a scalar.
    ///
    /// - Returns: True if the end of the pattern is among them.
    @inline(__always)
    private mutating func meet(_ first: UInt32, _ states: UnsafeBufferPointer<PatternProgram.State>) -> Bool {
        let (place, met) = (UInt32(truncatingIfNeeded: self.place), self.met)
        let (scalar, folded) = (self.scalar, self.folded)
        var index = Int(first)
        while true {
            if met[index] != place {
                met[index] = place
                let state = states[index]
                switch state.kind {
                case .found: return true
                case .scalar: if state.argument == scalar { self.taking.append(UInt32(index)) }
                case .foldedScalar: if state.argument == folded { self.taking.append(UInt32(index)) }
                case .set: if self.takes(Int(state.argument)) { self.taking.append(UInt32(index)) }
                case .split:
                    self.open.append(state.argument)
                    index = Int(state.next)
                    continue
                case .assertion: if self.holding & (1 << state.argument) != 0 { self.open.append(state.next) }
                }
            }
            guard self.open.count > 0 else { return false }
            self.open.count -= 1
            index = Int(self.open.states[self.open.count])
        }
    }

    /// True if a set has the scalar after the place.
    private mutating func takes(_ set: Int) -> Bool {
        if self.answers[set].place != self.place {
            self.answers[set] = (self.place, !self.forms.isEmpty && self.program.sets[set].contains(self.forms))
        }
        return self.answers[set].isMember
    }
}
