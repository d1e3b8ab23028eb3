// SPDX-License-Identifier: Apache-2.0

/// Horizontal bars of ratios to floors as an SVG picture, readable on a light and on a dark page.
///
/// The same bars give the same bytes. The picture has no script and loads nothing.
struct RatioChart {
    let bars: [RatioBar]

    private static let width = 860.0
    private static let left = 12.0
    /// The longest bar; its value stands behind it.
    private static let longest = 560.0
    private static let top = 64.0
    private static let row = 44.0

    // GitHub shows the picture with the colours of the system, not of its own setting: each colour has contrast on both.
    private static let style = """
        text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
        .heading { font-weight: 600; font-size: 16px }
        .quiet { fill: #59636e }
        .bar { fill: #2f81f7 }
        .missed { fill: #bc4c00 }
        .floor { stroke: #818b98; stroke-dasharray: 4 3 }
        .goal { stroke: #1f2328; stroke-width: 2 }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3 }
          .quiet { fill: #9198a1 }
          .missed { fill: #db6d28 }
          .goal { stroke: #e6edf3 }
        }
        """

    /// The picture.
    var svg: String {
        let height = Self.top + Double(self.bars.count) * Self.row + 8
        let size = "\(Self.number(Self.width)) \(Self.number(height))"
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 \(size)\" "
                + "width=\"\(Self.number(Self.width))\" height=\"\(Self.number(height))\">",
            "<title>Signet, in multiples of its floors</title>",
            "<style>\n\(Self.style)\n</style>",
            Self.text("Signet, in multiples of its floors", x: Self.left, y: 24, "heading"),
            Self.text(
                "1 x is the same machine in the same run without Signet (dashed). The upright mark is the goal.",
                x: Self.left,
                y: 44,
                "quiet"
            ),
        ]
        for (index, bar) in self.bars.enumerated() {
            lines += self.lines(of: bar, at: Self.top + Double(index) * Self.row)
        }
        lines.append("</svg>")
        return lines.joined(separator: "\n") + "\n"
    }

    private func lines(of bar: RatioBar, at top: Double) -> [String] {
        let length = self.place(of: bar.value) - Self.left
        var value = "\(Table.number(bar.value)) x"
        if let goal = bar.goal { value += ", goal \(Self.words(goal))\(bar.isMet ? "" : ", missed")" }
        var lines = [
            Self.text(bar.label, x: Self.left, y: top + 13),
            "<rect class=\"bar\(bar.isMet ? "" : " missed")\" x=\"\(Self.number(Self.left))\" "
                + "y=\"\(Self.number(top + 19))\" width=\"\(Self.number(length))\" height=\"14\"/>",
        ]
        // Beside the bars alone: a line down the picture would cross the labels.
        lines.append(Self.upright("floor", x: self.place(of: 1), from: top + 15, to: top + 37))
        if let goal = bar.goal {
            lines.append(Self.upright("goal", x: self.place(of: goal.bound), from: top + 17, to: top + 35))
        }
        // Behind the bar and both marks.
        let end = self.place(of: max(bar.value, bar.goal?.bound ?? 0, 1))
        lines.append(Self.text(value, x: end + 8, y: top + 31, "quiet"))
        return lines
    }

    private func place(of value: Double) -> Double {
        let most = self.bars.flatMap { [$0.value, $0.goal?.bound ?? 0] }.reduce(1, max)
        return Self.left + value / most * Self.longest
    }

    private static func words(_ goal: Goal) -> String {
        switch goal {
        case .atLeast(let bound): "at least \(Table.number(bound)) x"
        case .atMost(let bound): "at most \(Table.number(bound)) x"
        }
    }

    private static func upright(_ kind: String, x: Double, from top: Double, to bottom: Double) -> String {
        "<line class=\"\(kind)\" x1=\"\(Self.number(x))\" x2=\"\(Self.number(x))\" "
            + "y1=\"\(Self.number(top))\" y2=\"\(Self.number(bottom))\"/>"
    }

    private static func text(_ text: String, x: Double, y: Double, _ kind: String? = nil) -> String {
        let kind = kind.map { " class=\"\($0)\"" } ?? ""
        return "<text\(kind) x=\"\(Self.number(x))\" y=\"\(Self.number(y))\">\(Self.escaped(text))</text>"
    }

    // A tenth of a pixel is enough.
    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    /// A text as XML has it; control characters, which XML does not allow, are left out.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&apos;"
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: continue
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
