//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What a pattern may ask of a scalar, looked up once.
struct ScalarFacts {
    /// Of the scalar itself.
    let own: ScalarTraits
    /// Of what it becomes in other cases; nil when it has none, or when nobody will ask.
    let cases: Cases?

    /// A scalar in other cases.
    struct Cases {
        let lower: ScalarTraits
        let upper: ScalarTraits
        /// The same for all scalars that differ in case only.
        let folded: Unicode.Scalar
    }

    /// - Parameters:
    ///   - scalar: The scalar.
    ///   - folds: Whether its cases will be asked for.
    init(_ scalar: Unicode.Scalar, folds: Bool) {
        self.own = ScalarTraits(scalar)
        // Most scripts know no case, and asking for one makes a string.
        guard folds, ScalarCase.mayHaveCases(scalar) else {
            self.cases = nil
            return
        }
        let lower = ScalarCase.lower(scalar)
        let folded = ScalarCase.folded(scalar)
        // Not its own: the Kelvin sign has none, and differs from K in case only.
        let upper = ScalarCase.upper(folded)
        let hasCases = lower != scalar || upper != scalar || folded != scalar
        self.cases =
            hasCases ? Cases(lower: ScalarTraits(lower), upper: ScalarTraits(upper), folded: folded) : nil
    }
}
