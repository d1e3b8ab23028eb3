// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// Draws a picture of what was measured.
struct ChartCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chart",
        abstract: "Draws the main ratios of JSON files of scenarios as an SVG picture.",
        discussion: """
            One bar for each ratio to a floor that has a goal or stands in the table of `check`, in the order of the files. The \
            same files give the same picture.

            Example: event-load chart --json accept.json durable.json recovery.json --output chart.svg
            """
    )

    @Option(parsing: .upToNextOption, help: ArgumentHelp("Files that scenarios have written.", valueName: "file"))
    var json: [String]

    @Option(help: ArgumentHelp("The picture.", valueName: "file"))
    var output: String

    func run() throws {
        let bars = try self.json.flatMap { RatioBar.all(of: try ReportFile(at: $0)) }
        guard !bars.isEmpty else { throw LoadError("the files have no ratio with a goal") }
        let file = try FileBytes.create(self.output)
        defer { close(file) }
        guard fchmod(file, 0o644) == 0 else { throw LoadError(system: "fchmod \(self.output)") }
        try Array(RatioChart(bars: bars).svg.utf8).withUnsafeBytes { try FileBytes.write($0, to: file) }
        print("\(bars.count) ratios: \(self.output)")
    }
}
