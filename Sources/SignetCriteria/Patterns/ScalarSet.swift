// SPDX-License-Identifier: Apache-2.0

/// A set of scalars: a class in brackets, a dot, or an escape such as `\d`.
struct ScalarSet: Sendable, Hashable {
    enum Part: Sendable, Hashable {
        case range(ClosedRange<Unicode.Scalar>)
        case property(ScalarProperty, isNegated: Bool)
    }

    let parts: [Part]
    let modes: Modes

    struct Modes: OptionSet, Sendable, Hashable {
        let rawValue: UInt8

        /// The set has the scalars outside the parts.
        static let negated = Modes(rawValue: 1)
        /// A scalar is in the set if it is in another case.
        static let folds = Modes(rawValue: 2)
    }

    /// - Parameters:
    ///   - parts: The parts as written; a repeated part is tested once.
    ///   - modes: The modes in which the parts are read.
    init(_ parts: [Part], _ modes: Modes = []) {
        var seen: Set<Part> = []
        self.parts = parts.filter { seen.insert($0).inserted }
        self.modes = modes
    }

    /// All scalars except line ends.
    static let dot = ScalarSet([.property(.lineEnd, isNegated: false)], .negated)
    /// All scalars.
    static let all = ScalarSet([], .negated)

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
            if isMember { return !self.modes.contains(.negated) }
        }
        return self.modes.contains(.negated)
    }

    private func any(of forms: [ScalarTraits], _ holds: (ScalarTraits) -> Bool) -> Bool {
        self.modes.contains(.folds) ? forms.contains(where: holds) : holds(forms[0])
    }
}
