// SPDX-License-Identifier: Apache-2.0

/// The measurements of one ratio until it is decided: a regression must be seen three times.
///
/// Other work on a shared machine makes one measurement worse, never better.
struct RatioTrial {
    /// The state of the decision.
    enum Verdict: Equatable {
        /// It must be measured, for the first time or again.
        case open
        /// One measurement was within the tolerance.
        case kept
        /// All measurements were worse.
        case regressed
    }

    static let attempts = 3

    let ratio: Ratio
    /// The value of the table.
    let known: Double
    private(set) var measured: [Double] = []

    init(_ ratio: Ratio, known: Double) {
        self.ratio = ratio
        self.known = known
    }

    var verdict: Verdict {
        if self.measured.contains(where: { !self.ratio.isRegression($0, from: self.known) }) { return .kept }
        return self.measured.count < Self.attempts ? .open : .regressed
    }

    /// Takes a measurement; ignored once it is decided.
    mutating func record(_ value: Double) {
        guard self.verdict == .open else { return }
        self.measured.append(value)
    }

    /// True when it has regressed, and each measurement is worse than the table by more than a factor.
    func hasRegressed(byMoreThan factor: Double) -> Bool {
        self.verdict == .regressed
            && self.measured.allSatisfy { self.ratio.isWorse($0, than: self.known, byMoreThan: factor) }
    }

    /// A sentence with both numbers; nil unless it has regressed.
    var complaint: String? {
        guard self.verdict == .regressed else { return nil }
        let measured = self.measured.map(Table.number).joined(separator: ", ")
        let limit = Table.number(self.ratio.limit(for: self.known))
        return "\(self.ratio.name) is \(measured) x, in the table \(Table.number(self.known)) x (limit \(limit) x)"
    }
}
