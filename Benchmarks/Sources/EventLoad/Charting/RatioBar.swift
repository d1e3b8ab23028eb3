// SPDX-License-Identifier: Apache-2.0

/// One bar of a chart: a ratio and its goal.
struct RatioBar: Sendable {
    let label: String
    /// A median, in multiples of the floor.
    let value: Double
    /// Nil for none.
    let goal: Goal?

    init(label: String, value: Double, goal: Goal?) {
        self.label = label
        self.value = value
        self.goal = goal
    }

    /// True unless a goal is missed.
    var isMet: Bool {
        self.goal?.isMet(by: self.value) ?? true
    }

    /// The main ratios of a report: those with a goal, and those of the table of ``CheckCommand``.
    static func all(of report: ReportFile) -> [RatioBar] {
        let checked = CheckedScenario.all.flatMap(\.ratios)
        return report.series.flatMap { series in
            series.figures.compactMap { figure in
                let isChecked = checked.contains { ratio in
                    ratio.scenario == report.scenario && ratio.series == series.name && ratio.figure == figure.name
                }
                guard figure.unit == "x", figure.median >= 0, isChecked || figure.goal != nil else { return nil }
                return RatioBar(
                    label: "\(report.scenario), \(series.name): \(figure.name)",
                    value: figure.median,
                    goal: figure.goal.flatMap(Goal.init(text:))
                )
            }
        }
    }
}

extension Goal {
    /// Reads ``text``; nil when it is another one.
    init?(text: String) {
        guard let value = Double(text.dropFirst(3).filter { $0 != "," }) else { return nil }
        switch text.prefix(3) {
        case ">= ": self = .atLeast(value)
        case "<= ": self = .atMost(value)
        default: return nil
        }
    }

    /// The value that must be kept.
    var bound: Double {
        switch self {
        case .atLeast(let bound), .atMost(let bound): bound
        }
    }
}
