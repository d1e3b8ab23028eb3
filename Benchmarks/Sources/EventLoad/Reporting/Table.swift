// SPDX-License-Identifier: Apache-2.0

/// A report as plain text.
struct Table {
    let text: String

    init(_ report: Report) {
        var lines = ["\(report.scenario): median, lowest and highest of \(report.runs) runs", report.machine.text]
        for series in report.series {
            lines.append("")
            lines.append(
                Self.left(series.name, 52) + Self.right("median", 14) + Self.right("lowest", 14)
                    + Self.right("highest", 14) + "  goal"
            )
            for figure in series.figures {
                let name = figure.unit.isEmpty ? figure.name : "\(figure.name), \(figure.unit)"
                var line = "  " + Self.left(name, 50)
                for value in [figure.median, figure.minimum, figure.maximum] {
                    line += Self.right(Self.number(value), 14)
                }
                if let goal = figure.goal {
                    line += "  \(goal.text)\(goal.isMet(by: figure.median) ? "" : "  MISSED")"
                }
                lines.append(line)
            }
        }
        lines.append("")
        for series in report.series {
            for figure in series.figures {
                guard let goal = figure.goal, !goal.isMet(by: figure.median) else { continue }
                lines.append("missed: \(series.name): \(figure.name) \(Self.number(figure.median)), not \(goal.text)")
            }
        }
        lines += report.notes.map { "- \($0)" }
        lines += report.failures.map { "FAILED: \($0)" }
        self.text = lines.joined(separator: "\n")
    }

    /// Three digits that count, thousands apart.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        let size = abs(value)
        let decimals = size >= 100 || size == size.rounded() ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let whole = (size * scale).rounded()
        guard whole < 1e18 else { return "\(value)" }
        var digits = String(Int(whole))
        while digits.count <= decimals { digits = "0" + digits }
        let fraction = decimals > 0 ? "." + digits.suffix(decimals) : ""
        var rest = digits.dropLast(decimals)
        var groups: [Substring] = []
        while rest.count > 3 {
            groups.insert(rest.suffix(3), at: 0)
            rest = rest.dropLast(3)
        }
        groups.insert(rest, at: 0)
        return (value < 0 ? "-" : "") + groups.joined(separator: ",") + fraction
    }

    private static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }
}
