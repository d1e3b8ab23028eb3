// SPDX-License-Identifier: Apache-2.0

/// A set of scalars: a class in brackets, a dot, or an escape such as `\d`.
struct ScalarSet: Sendable, Hashable {
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

    /// All scalars except line ends.
    static let dot = ScalarSet([.property(.lineEnd, isNegated: false)], isNegated: true)
    /// All scalars.
    static let all = ScalarSet([], isNegated: true)
}
