// SPDX-License-Identifier: Apache-2.0

/// A set of scalars: a class in brackets, a dot, or an escape such as `\d`.
struct ScalarSet: Sendable, Hashable {
    enum Part: Sendable, Hashable {
        case range(ClosedRange<Unicode.Scalar>)
        case property(ScalarProperty, isNegated: Bool)
    }

    let parts: [Part]
    let isNegated: Bool
    /// True if a scalar is in the set when it is in another case.
    let folds: Bool

    /// - Parameters:
    ///   - parts: The parts as written; a repeated part is tested once.
    ///   - isNegated: True for the scalars outside the parts.
    ///   - folds: True if a scalar is in the set when it is in another case.
    init(_ parts: [Part], isNegated: Bool = false, folds: Bool = false) {
        var seen: Set<Part> = []
        self.parts = parts.filter { seen.insert($0).inserted }
        self.isNegated = isNegated
        self.folds = folds
    }

    /// All scalars except line ends.
    static let dot = ScalarSet([.property(.lineEnd, isNegated: false)], isNegated: true)
    /// All scalars.
    static let all = ScalarSet([], isNegated: true)

    /// True if a scalar is in the set.
    ///
    /// If case is ignored, a scalar has a property if any of its cases has it, and lacks it only if none has it.
    ///
    /// - Parameter forms: The scalar, then its other cases (``ScalarTraits/forms(of:folds:)``).
    /// - Returns: True if it is.
    func contains(_ forms: [ScalarTraits]) -> Bool {
        for part in self.parts {
            let isMember =
                switch part {
                case .range(let range): self.any(of: forms) { range.contains($0.scalar) }
                case .property(let property, let isNegated):
                    self.any(of: forms) { property.holds($0) } != isNegated
                }
            if isMember { return !self.isNegated }
        }
        return self.isNegated
    }

    private func any(of forms: [ScalarTraits], _ holds: (ScalarTraits) -> Bool) -> Bool {
        self.folds ? forms.contains(where: holds) : holds(forms[0])
    }
}
