// SPDX-License-Identifier: Apache-2.0

/// A pattern as states; each takes a scalar or tests an assertion, and names the next state.
struct PatternProgram: Sendable {
    struct State: Sendable {
        enum Kind: UInt8, Sendable {
            /// The pattern is found.
            case found
            /// Takes the scalar `argument`.
            case scalar
            /// Takes a scalar that folds to `argument`.
            case foldedScalar
            /// Takes a scalar of the set `argument`.
            case set
            /// Continues at `next` and at `argument`.
            case split
            /// Continues if the assertion `argument` is true.
            case assertion
        }

        var kind: Kind
        var argument: UInt32
        var next: UInt32
    }

    /// The maximum number of states, which bounds the time of a match.
    static let limit = 1100

    private(set) var states: [State] = [State(kind: .found, argument: 0, next: 0)]
    /// The sets, each with the positions that take its scalars.
    private(set) var sets: [(set: MergedSet, positions: [UInt64])] = []
    /// The positions that take one scalar: by the scalar, and by its folded form.
    private(set) var scalars: [UInt32: [Int]] = [:]
    private(set) var foldedScalars: [UInt32: [Int]] = [:]
    /// The sets as written, while states are added.
    private var written: [(set: ScalarSet, folds: Bool)] = []
    /// The index of each set; a repeated set is tested once per scalar.
    private var places: [ScalarSet: [Bool: Int]] = [:]
    private(set) var start = 0
    /// The work left for expanding repetitions, including parts without states.
    private var effort = 100_000

    /// The states that take a scalar, in sequence order; the index of a state here is its position.
    private(set) var positions: [Int] = []
    private(set) var positionOfState: [Int] = []
    /// The positions that lead only to the next position.
    private(set) var plain: [UInt64] = []
    /// The assertions in the pattern, each once.
    private(set) var assertions: [PatternNode.Assertion] = []
    /// The scalars at which a range or scalar named by the pattern begins or has just ended, sorted.
    private(set) var boundaries: [UInt32] = []
    /// True if the pattern ignores case anywhere.
    private(set) var folds = false

    init(_ node: PatternNode) throws(PatternError) {
        self.start = try self.add(node, before: 0)
        self.numberPositions()
        self.findBoundaries()
        self.findTakers()
        self.places = [:]
        self.written = []
    }

    private mutating func findTakers() {
        var positions = Array(repeating: Array(repeating: UInt64(0), count: self.words), count: self.written.count)
        for (position, index) in self.positions.enumerated() {
            let state = self.states[index]
            switch state.kind {
            case .scalar: self.scalars[state.argument, default: []].append(position)
            case .foldedScalar: self.foldedScalars[state.argument, default: []].append(position)
            case .set: positions[Int(state.argument)][position / 64] |= 1 << UInt64(position % 64)
            case .found, .split, .assertion: break
            }
        }
        self.sets = zip(self.written, positions).map { (MergedSet($0.set, folds: $0.folds), $1) }
    }

    private mutating func findBoundaries() {
        var found = Set(ScalarKind.boundaries)
        for state in self.states where state.kind == .scalar || state.kind == .foldedScalar {
            found.formUnion([state.argument, state.argument + 1])
        }
        for (set, _) in self.written {
            for case .range(let range) in set.parts {
                found.formUnion([range.lowerBound.value, range.upperBound.value + 1])
            }
        }
        self.boundaries = found.sorted()
    }

    /// The number of words in a set of positions.
    var words: Int {
        (self.positions.count + 63) / 64
    }

    /// Numbers the positions; a sequence was made from its end, so the highest state is the first.
    private mutating func numberPositions() {
        self.positionOfState = Array(repeating: 0, count: self.states.count)
        for (index, state) in self.states.enumerated().reversed() {
            switch state.kind {
            case .scalar, .foldedScalar, .set:
                self.positionOfState[index] = self.positions.count
                self.positions.append(index)
                self.folds = self.folds || state.kind == .foldedScalar
            case .assertion:
                let assertion = PatternNode.Assertion(rawValue: state.argument)
                if let assertion, !self.assertions.contains(assertion) { self.assertions.append(assertion) }
            case .found, .split: break
            }
        }
        self.folds = self.folds || self.written.contains(where: \.folds)
        self.plain = Array(repeating: 0, count: self.words)
        for (position, index) in self.positions.enumerated() where position + 1 < self.positions.count {
            if Int(self.states[index].next) == self.positions[position + 1] {
                self.plain[position / 64] |= 1 << UInt64(position % 64)
            }
        }
    }

    /// Adds the states of a node that continue at `next`.
    ///
    /// - Returns: The first state of the node.
    private mutating func add(_ node: PatternNode, before next: Int) throws(PatternError) -> Int {
        self.effort -= 1
        guard self.effort > 0 else { throw Self.tooLarge }
        switch node {
        case .empty: return next
        case .scalar(let scalar, let folds):
            return try self.add(folds ? .foldedScalar : .scalar, scalar.value, next)
        case .set(let set, let folds):
            if self.places[set]?[folds] == nil {
                self.places[set, default: [:]][folds] = self.written.count
                self.written.append((set, folds))
            }
            return try self.add(.set, UInt32(self.places[set]?[folds] ?? 0), next)
        case .assertion(let assertion): return try self.add(.assertion, assertion.rawValue, next)
        case .sequence(let nodes):
            var next = next
            for node in nodes.reversed() {
                next = try self.add(node, before: next)
            }
            return next
        case .choice(let nodes):
            var start: Int?
            for node in nodes.reversed() {
                let branch = try self.add(node, before: next)
                start =
                    try start.map { (other) throws(PatternError) in try self.add(.split, UInt32(other), branch) }
                    ?? branch
            }
            return start ?? next
        case .repetition(let node, let least, let most):
            return try self.add(node, least, most, before: next)
        }
    }

    private mutating func add(
        _ node: PatternNode,
        _ least: Int,
        _ most: Int?,
        before next: Int
    ) throws(PatternError) -> Int {
        var start = next
        if let most {
            for _ in 0..<most - least {
                let once = try self.add(node, before: start)
                start = try self.add(.split, UInt32(next), once)
            }
        } else {
            let loop = try self.add(.split, UInt32(next), next)
            self.states[loop].next = UInt32(try self.add(node, before: loop))
            start = loop
        }
        for _ in 0..<least {
            start = try self.add(node, before: start)
        }
        return start
    }

    private mutating func add(_ kind: State.Kind, _ argument: UInt32, _ next: Int) throws(PatternError) -> Int {
        guard self.states.count < Self.limit else { throw Self.tooLarge }
        self.states.append(State(kind: kind, argument: argument, next: UInt32(next)))
        return self.states.count - 1
    }

    private static let tooLarge = PatternError(.unsupported, "repetitions that make it too large", at: 0)
}
