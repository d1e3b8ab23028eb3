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
    /// The sets, each once, so that a repeated set is tested once per scalar.
    private(set) var sets: [ScalarSet] = []
    private(set) var start = 0
    /// The assertions in the pattern.
    private(set) var assertions: Set<PatternNode.Assertion> = []
    /// The number of parts of all sets.
    private(set) var parts = 0
    /// True if the pattern ignores case anywhere.
    private(set) var folds = false

    /// The index of each set.
    private var places: [ScalarSet: UInt32] = [:]
    /// The work left for expanding repetitions, including parts without states.
    private var effort = 100_000

    init(_ node: PatternNode) throws(PatternError) {
        self.start = try self.add(node, before: 0)
        self.places = [:]
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
            self.folds = self.folds || folds
            return try self.add(folds ? .foldedScalar : .scalar, scalar.value, next)
        case .set(let set): return try self.add(.set, self.index(of: set), next)
        case .assertion(let assertion):
            self.assertions.insert(assertion)
            return try self.add(.assertion, assertion.rawValue, next)
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
                if let other = start {
                    start = try self.add(.split, UInt32(other), branch)
                } else {
                    start = branch
                }
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
            start = try self.add(.split, UInt32(next), next)
            self.states[start].next = UInt32(try self.add(node, before: start))
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

    private mutating func index(of set: ScalarSet) -> UInt32 {
        if let index = self.places[set] { return index }
        let index = UInt32(self.sets.count)
        self.places[set] = index
        self.sets.append(set)
        self.parts += set.parts.count
        self.folds = self.folds || set.modes.contains(.folds)
        return index
    }

    private static let tooLarge = PatternError(.unsupported, "repetitions that make it too large", at: 0)
}
