// SPDX-License-Identifier: Apache-2.0

/// The checked-in ratios: one line each, `scenario | series | figure | higher or lower | value`, and comments behind `#`.
struct RatioTable: Equatable {
    /// A ratio and its value.
    struct Line: Equatable {
        let ratio: Ratio
        let value: Double

        init(ratio: Ratio, value: Double) {
            (self.ratio, self.value) = (ratio, value)
        }

        /// Makes the line of several measurements: what a quiet machine has shown is no regression.
        ///
        /// - Parameters:
        ///   - ratio: The ratio.
        ///   - measured: Its values; not empty.
        init(ratio: Ratio, worstOf measured: [Double]) {
            let worst = ratio.worse == .higher ? measured.max() : measured.min()
            self.init(ratio: ratio, value: worst ?? .nan)
        }
    }

    private(set) var lines: [Line] = []

    init(_ lines: [Line]) {
        self.lines = lines
    }

    /// Parses a table.
    ///
    /// - Parameter text: The whole file.
    /// - Throws: ``LoadError`` with the number of the line that is none, or that stands there twice.
    init(parsing text: String) throws {
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard !line.hasPrefix("#"), line.contains(where: { $0 != " " }) else { continue }
            let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(Self.trimmed)
            guard fields.count == 5, let worse = Ratio.Worse(rawValue: fields[3]),
                let value = Double(fields[4]), value.isFinite, value > 0
            else { throw LoadError("line \(number + 1) of the ratios is none: \(line)") }
            let ratio = Ratio(scenario: fields[0], series: fields[1], figure: fields[2], worse: worse)
            guard self.value(of: ratio) == nil else {
                throw LoadError("line \(number + 1) of the ratios is there twice: \(ratio.name)")
            }
            self.lines.append(Line(ratio: ratio, value: value))
        }
    }

    /// The value of a ratio; nil when the table has none.
    func value(of ratio: Ratio) -> Double? {
        self.lines.first { $0.ratio == ratio }?.value
    }

    /// The file.
    ///
    /// - Parameter remarks: Lines of comment above the ratios.
    /// - Returns: Its whole text, with a line break at the end.
    func text(remarks: [String]) -> String {
        let remarks = remarks.map { "# \($0)" }
        let lines = self.lines.map { line in
            let ratio = line.ratio
            return [ratio.scenario, ratio.series, ratio.figure, ratio.worse.rawValue, Self.number(line.value)]
                .joined(separator: " | ")
        }
        return (remarks + lines).joined(separator: "\n") + "\n"
    }

    /// Throws when the table and the program do not know the same ratios.
    ///
    /// - Parameter known: The ratios of the program.
    /// - Throws: ``LoadError`` with the first that only one of them knows.
    func requireSame(as known: [Ratio]) throws {
        for ratio in known where self.value(of: ratio) == nil {
            throw LoadError("the table has no \(ratio.name); `check --write` measures it")
        }
        for line in self.lines where !known.contains(line.ratio) {
            throw LoadError("the table has \(line.ratio.name), which nothing measures; `check --write` leaves it out")
        }
    }

    private static func number(_ value: Double) -> String {
        Table.number(value).filter { $0 != "," }
    }

    private static func trimmed(_ field: Substring) -> String {
        var field = field.drop { $0 == " " }
        while field.last == " " { field.removeLast() }
        return String(field)
    }
}
