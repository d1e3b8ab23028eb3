// SPDX-License-Identifier: Apache-2.0

/// The traits of one scalar that a pattern's escapes may test, looked up once.
struct ScalarTraits: Sendable {
    let scalar: Unicode.Scalar
    /// The general category as one bit, as in sets of categories, and ``ScalarProperty/wordBit`` for a scalar of words.
    let bits: UInt32

    private init(_ scalar: Unicode.Scalar) {
        self.scalar = scalar
        let category = ScalarProperty.bits[scalar.properties.generalCategory] ?? 0
        self.bits = ScalarProperty.isWord(scalar) ? category | ScalarProperty.wordBit : category
    }

    private static let ascii = (0..<0x80).map { ScalarTraits(Unicode.Scalar(UInt8($0))) }

    private static func of(_ scalar: Unicode.Scalar) -> ScalarTraits {
        scalar.value < 0x80 ? Self.ascii[Int(scalar.value)] : ScalarTraits(scalar)
    }

    /// Looks up a scalar and its other cases.
    ///
    /// - Parameters:
    ///   - scalar: The scalar.
    ///   - folds: True to look up its other cases.
    /// - Returns: The traits of the scalar, then those of its other cases; the last is ``ScalarCase/folded(_:)``.
    static func forms(of scalar: Unicode.Scalar, folds: Bool) -> [ScalarTraits] {
        // Most scripts have no case, and a lookup makes a string.
        guard folds, ScalarCase.mayHaveCases(scalar) else { return [.of(scalar)] }
        let folded = ScalarCase.folded(scalar)
        // The upper case is that of the folded scalar: the Kelvin sign has none of its own, and differs from K only in
        // case.
        return [scalar, ScalarCase.lower(scalar), ScalarCase.upper(folded), folded].map(Self.of)
    }
}

/// Upper and lower case of single scalars; a scalar whose mapping is several scalars stays as it is.
enum ScalarCase {
    /// True if other scalars may differ from this one only in case; it can be true where there are none.
    ///
    /// The dotless i differs from no scalar only in case, though its upper case is that of i (CaseFolding.txt).
    static func mayHaveCases(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x80 || scalar != "\u{131}" && scalar.properties.changesWhenCaseMapped
    }

    /// Returns the representative of all scalars that differ only in case.
    static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        if scalar.value < 0x80 { return Self.lower(scalar) }
        return Self.mayHaveCases(scalar) ? Self.lower(Self.upper(scalar)) : scalar
    }

    static func lower(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        if scalar.value < 0x80 {
            return ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) + 0x20) : scalar
        }
        return Self.single(scalar.properties.lowercaseMapping) ?? scalar
    }

    static func upper(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        if scalar.value < 0x80 {
            return ("a"..."z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) - 0x20) : scalar
        }
        return Self.single(scalar.properties.uppercaseMapping) ?? scalar
    }

    private static func single(_ text: String) -> Unicode.Scalar? {
        let scalars = text.unicodeScalars
        return scalars.count == 1 ? scalars.first : nil
    }
}
