// SPDX-License-Identifier: Apache-2.0

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
