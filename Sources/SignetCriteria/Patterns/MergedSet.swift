// SPDX-License-Identifier: Apache-2.0

/// A set of scalars prepared for lookup: its ranges sorted and merged, its properties each once.
///
/// The time of a lookup hardly depends on the length of the class in brackets.
struct MergedSet: Sendable {
    private let isNegated: Bool
    private let folds: Bool
    /// The first and last scalars of the ranges.
    private var firsts: [UInt32] = []
    private var lasts: [UInt32] = []
    /// The categories in the set, one bit each.
    private var categories: UInt32 = 0
    /// Sets of categories; each includes all scalars outside its categories.
    private var barred: [UInt32] = []
    /// Properties other than sets of categories.
    private var others: [(property: ScalarProperty, isNegated: Bool)] = []

    private var hasRangesOnly: Bool {
        self.categories == 0 && self.barred.isEmpty && self.others.isEmpty
    }

    /// - Parameters:
    ///   - set: The set as it is written.
    ///   - folds: True if a scalar is in the set when it is in another case.
    init(_ set: ScalarSet, folds: Bool) {
        self.isNegated = set.isNegated
        self.folds = folds
        var ranges: [ClosedRange<UInt32>] = []
        var seen: Set<ScalarSet.Part> = []
        for part in set.parts {
            switch part {
            case .range(let range): ranges.append(range.lowerBound.value...range.upperBound.value)
            case .property(.categories(let bits), isNegated: false): self.categories |= bits
            case .property(.categories(let bits), isNegated: true):
                if !self.barred.contains(bits) { self.barred.append(bits) }
            case .property(let property, let isNegated):
                if seen.insert(part).inserted { self.others.append((property, isNegated)) }
            }
        }
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = self.lasts.last, range.lowerBound <= last {
                self.lasts[self.lasts.count - 1] = max(last, range.upperBound)
            } else {
                self.firsts.append(range.lowerBound)
                self.lasts.append(range.upperBound)
            }
        }
    }

    /// True if a scalar is in the set.
    ///
    /// If case is ignored, a scalar has a property if any of its cases has it, and lacks it only if none has it.
    func contains(_ facts: ScalarFacts) -> Bool {
        self.holds(facts.own, self.folds ? facts.cases : nil) != self.isNegated
    }

    private func holds(_ own: ScalarTraits, _ cases: ScalarFacts.Cases?) -> Bool {
        if self.isInRange(own.scalar) { return true }
        if let cases, self.isInRange(cases.lower.scalar) || self.isInRange(cases.upper.scalar) { return true }
        if let cases, self.isInRange(cases.folded) { return true }
        if self.hasRangesOnly { return false }
        let bits = own.categoryBit | (cases?.lower.categoryBit ?? 0) | (cases?.upper.categoryBit ?? 0)
        if self.categories & bits != 0 || self.barred.contains(where: { $0 & bits == 0 }) { return true }
        return self.others.contains { other in
            let has =
                other.property.holds(own) || cases.map { other.property.holds($0.lower) } ?? false
                || cases.map { other.property.holds($0.upper) } ?? false
            return has != other.isNegated
        }
    }

    private func isInRange(_ scalar: Unicode.Scalar) -> Bool {
        guard let last = self.lasts.last, scalar.value <= last else { return false }
        var (low, high) = (0, self.firsts.count)
        while low < high {
            let middle = (low + high) / 2
            if self.firsts[middle] <= scalar.value { low = middle + 1 } else { high = middle }
        }
        return low > 0 && scalar.value <= self.lasts[low - 1]
    }
}
