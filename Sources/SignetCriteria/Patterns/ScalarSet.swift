//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// A set of scalars: a class in brackets, a dot, or an escape such as `\d`.
struct ScalarSet: Sendable, Hashable {
    /// A part of a set.
    enum Part: Sendable, Hashable {
        case range(ClosedRange<Unicode.Scalar>)
        case property(ScalarProperty, isNegated: Bool)
    }

    var parts: [Part]
    var isNegated = false

    init(_ parts: [Part], isNegated: Bool = false) {
        self.parts = parts
        self.isNegated = isNegated
    }

    /// Everything that does not end a line.
    static let dot = ScalarSet([.property(.lineEnd, isNegated: false)], isNegated: true)
    /// Everything.
    static let all = ScalarSet([], isNegated: true)

    func contains(_ facts: ScalarFacts, folds: Bool) -> Bool {
        self.parts.contains { Self.isPart(facts, $0, folds) } != self.isNegated
    }

    /// The cases of a letter are in the same ranges, but a property is asked of the letter itself and of its other cases.
    private static func isPart(_ facts: ScalarFacts, _ part: Part, _ folds: Bool) -> Bool {
        switch part {
        case .range(let range):
            range.contains(facts.scalar)
                || folds
                    && (range.contains(facts.lower) || range.contains(facts.upper) || range.contains(facts.folded))
        case .property(let property, let isNegated):
            property.holds(facts) != isNegated
                || folds
                    && [facts.lower, facts.upper].contains { scalar in
                        scalar != facts.scalar && property.holds(ScalarFacts(scalar, folds: false)) != isNegated
                    }
        }
    }
}
