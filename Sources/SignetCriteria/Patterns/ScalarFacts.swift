//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What a pattern may ask of a scalar, looked up once.
struct ScalarFacts {
    let scalar: Unicode.Scalar
    /// The same for all scalars that differ in case only.
    let folded: Unicode.Scalar
    let lower: Unicode.Scalar
    let upper: Unicode.Scalar
    /// Whether any of these is another scalar.
    let hasCases: Bool
    let category: Unicode.GeneralCategory
    /// The category as one bit, as sets of categories have it.
    let categoryBit: UInt32
    let isWord: Bool

    /// - Parameters:
    ///   - scalar: The scalar.
    ///   - folds: Whether its cases will be asked for.
    init(_ scalar: Unicode.Scalar, folds: Bool) {
        self.scalar = scalar
        // Most scripts know no case, and asking for one makes a string.
        let folds = folds && (scalar.value < 0x80 || scalar.properties.changesWhenCaseMapped)
        self.lower = folds ? ScalarCase.lower(scalar) : scalar
        self.upper = folds ? ScalarCase.upper(scalar) : scalar
        self.folded = folds ? ScalarCase.folded(scalar) : scalar
        self.hasCases = self.lower != scalar || self.upper != scalar || self.folded != scalar
        self.category = scalar.properties.generalCategory
        self.categoryBit = ScalarProperty.bits[self.category] ?? 0
        self.isWord = ScalarProperty.isWord(scalar)
    }
}
