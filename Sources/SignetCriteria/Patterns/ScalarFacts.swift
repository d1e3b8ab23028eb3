// SPDX-License-Identifier: Apache-2.0

/// The traits of a scalar that a pattern may test, looked up once.
struct ScalarFacts {
    /// The traits of the scalar itself.
    let own: ScalarTraits
    /// The traits of its other cases; nil when it has none, or when they are not needed.
    let cases: Cases?

    /// A scalar in other cases.
    struct Cases {
        let lower: ScalarTraits
        let upper: ScalarTraits
        /// The representative of all scalars that differ only in case.
        let folded: Unicode.Scalar
    }

    /// - Parameters:
    ///   - scalar: The scalar.
    ///   - folds: True to look up its other cases.
    init(_ scalar: Unicode.Scalar, folds: Bool) {
        self.own = ScalarTraits(scalar)
        // Most scripts have no case, and a lookup makes a string.
        guard folds, ScalarCase.mayHaveCases(scalar) else {
            self.cases = nil
            return
        }
        let lower = ScalarCase.lower(scalar)
        let folded = ScalarCase.folded(scalar)
        // The upper case is that of the folded scalar: the Kelvin sign has none of its own, and differs from K only in
        // case.
        let upper = ScalarCase.upper(folded)
        let hasCases = lower != scalar || upper != scalar || folded != scalar
        self.cases =
            hasCases ? Cases(lower: ScalarTraits(lower), upper: ScalarTraits(upper), folded: folded) : nil
    }
}
