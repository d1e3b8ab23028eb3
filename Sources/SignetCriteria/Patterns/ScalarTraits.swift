//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What the escapes of a pattern may ask of one scalar, looked up once.
struct ScalarTraits: Hashable {
    let scalar: Unicode.Scalar
    /// The general category as one bit, as sets of categories have it.
    let categoryBit: UInt32
    let isWord: Bool

    init(_ scalar: Unicode.Scalar) {
        self.scalar = scalar
        self.categoryBit = ScalarProperty.bits[scalar.properties.generalCategory] ?? 0
        self.isWord = ScalarProperty.isWord(scalar)
    }
}
