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
    let category: Unicode.GeneralCategory
    let isWord: Bool

    /// - Parameters:
    ///   - scalar: The scalar.
    ///   - folds: Whether its cases will be asked for.
    init(_ scalar: Unicode.Scalar, folds: Bool) {
        self.scalar = scalar
        self.lower = folds ? ScalarCase.lower(scalar) : scalar
        self.upper = folds ? ScalarCase.upper(scalar) : scalar
        self.folded = folds ? ScalarCase.folded(scalar) : scalar
        self.category = scalar.properties.generalCategory
        self.isWord = ScalarProperty.isWord(scalar)
    }
}
