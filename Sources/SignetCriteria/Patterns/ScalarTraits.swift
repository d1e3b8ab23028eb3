// SPDX-License-Identifier: Apache-2.0

/// The traits of one scalar that a pattern's escapes may test, looked up once.
struct ScalarTraits: Hashable {
    let scalar: Unicode.Scalar
    /// The general category as one bit, as in sets of categories.
    let categoryBit: UInt32
    let isWord: Bool

    init(_ scalar: Unicode.Scalar) {
        self.scalar = scalar
        self.categoryBit = ScalarProperty.bits[scalar.properties.generalCategory] ?? 0
        self.isWord = ScalarProperty.isWord(scalar)
    }
}
