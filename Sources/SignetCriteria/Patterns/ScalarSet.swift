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
        let hasCases = folds && facts.hasCases
        for part in self.parts {
            switch part {
            case .range(let range):
                if range.contains(facts.scalar) || hasCases && Self.hasCase(of: facts, range) { return !self.isNegated }
            case .property(let property, let isNegated):
                if property.holds(facts) != isNegated { return !self.isNegated }
                guard hasCases else { continue }
                for scalar in [facts.lower, facts.upper] where scalar != facts.scalar {
                    if property.holds(ScalarFacts(scalar, folds: false)) != isNegated { return !self.isNegated }
                }
            }
        }
        return self.isNegated
    }

    private static func hasCase(of facts: ScalarFacts, _ range: ClosedRange<Unicode.Scalar>) -> Bool {
        range.contains(facts.lower) || range.contains(facts.upper) || range.contains(facts.folded)
    }
}
