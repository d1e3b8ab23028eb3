// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// Compares the ratios to the floors with a table that is checked in.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Measures ratios to floors shortly; fails when one is 25 % worse than the table.",
        discussion: """
            Runs short versions of accept, durable, recovery, identity and upload, each in a process of its own, and takes the \
            median of --runs. A ratio that is worse is measured a second and a third time before it counts. --fails-beyond 2 \
            fails only when one is worse by more than a factor of 2, and prints the others that are 25 % worse. --write \
            writes the table instead. --only measures the scenarios with that text in their names.

            Examples:
              event-load check --against Benchmarks/ratios.txt
              event-load check --against Benchmarks/ratios.txt --fails-beyond 2
              event-load check --against Benchmarks/ratios.txt --write
            """
    )

    @OptionGroup var options: LoadOptions

    @Option(help: ArgumentHelp("The table.", valueName: "file"))
    var against: String

    @Option(help: ArgumentHelp("Fails only when a ratio is worse by more than this factor.", valueName: "factor"))
    var failsBeyond: Double?

    @Flag(help: "Writes the table anew with what is measured now.")
    var write = false

    func validate() throws {
        guard self.options.events == nil, self.options.seconds == nil else {
            throw ValidationError("check chooses the lengths of its runs: leave --events and --seconds out.")
        }
        guard !self.write || self.options.only.isEmpty else {
            throw ValidationError("--write needs all ratios: leave --only out.")
        }
        guard self.failsBeyond ?? 2 > 1 else { throw ValidationError("--fails-beyond must be above 1.") }
        guard !self.scenarios.isEmpty else {
            let names = CheckedScenario.all.map(\.name).joined(separator: ", ")
            throw ValidationError("--only chooses no scenario; there are \(names).")
        }
    }

    func run() async throws {
        try await LoadTest.perform("check", self.options) { test in
            var results = Results()
            if self.write {
                try self.rewrite(test, &results)
            } else {
                try self.compare(test, &results)
            }
            return results
        }
    }

    private var scenarios: [CheckedScenario] {
        CheckedScenario.all.filter { self.options.includes($0.name) }
    }

    private func compare(_ test: LoadTest, _ results: inout Results) throws {
        let text = String(decoding: try FileBytes.read(self.against), as: UTF8.self)
        let table = try RatioTable(parsing: text)
        try table.requireSame(as: CheckedScenario.all.flatMap(\.ratios))
        for scenario in self.scenarios {
            var trials = scenario.ratios.compactMap { ratio in
                table.value(of: ratio).map { RatioTrial(ratio, known: $0) }
            }
            var attempt = 1
            while trials.contains(where: { $0.verdict == .open }) {
                test.progress.show("\(scenario.name), measurement \(attempt)")
                let report = try self.measure(scenario, test, &results)
                for index in trials.indices {
                    let figure = try Self.figure(trials[index].ratio, in: report)
                    guard trials[index].verdict == .open else { continue }
                    trials[index].record(figure.median)
                    guard trials[index].verdict != .open else { continue }
                    self.add(figure, trials[index], &results)
                }
                attempt += 1
            }
            for trial in trials {
                guard let complaint = trial.complaint else { continue }
                if let factor = self.failsBeyond, !trial.hasRegressed(byMoreThan: factor) {
                    // `.ci/stages` prints the lines that begin so.
                    results.note("Worse than the table: \(complaint)")
                } else {
                    results.fail(complaint)
                }
            }
        }
    }

    // The last measurement; the goal of the report is the limit.
    private func add(_ figure: ReportFile.Figure, _ trial: RatioTrial, _ results: inout Results) {
        let limit = trial.ratio.limit(for: trial.known)
        let goal: Goal =
            switch trial.ratio.worse {
            case .higher: .atMost(limit)
            case .lower: .atLeast(limit)
            }
        let series = "\(trial.ratio.scenario): \(trial.ratio.series)"
        for value in figure.runs { results.add(series, [Measure(figure.name, figure.unit, value, goal: goal)]) }
        results.add(
            series,
            [
                Measure("\(figure.name), in the table", figure.unit, trial.known),
                Measure("\(figure.name), measurements", "", Double(trial.measured.count)),
            ]
        )
    }

    private func rewrite(_ test: LoadTest, _ results: inout Results) throws {
        var lines: [RatioTable.Line] = []
        for scenario in CheckedScenario.all {
            var trials = scenario.ratios.map { ($0, medians: [Double]()) }
            for attempt in 1...RatioTrial.attempts {
                test.progress.show("\(scenario.name), measurement \(attempt)")
                let report = try self.measure(scenario, test, &results)
                for index in trials.indices {
                    let ratio = trials[index].0
                    let figure = try Self.figure(ratio, in: report)
                    trials[index].medians.append(figure.median)
                    let measures = figure.runs.map { Measure(figure.name, figure.unit, $0) }
                    for measure in measures { results.add("\(ratio.scenario): \(ratio.series)", [measure]) }
                }
            }
            for (ratio, medians) in trials { lines.append(RatioTable.Line(ratio: ratio, worstOf: medians)) }
        }
        guard results.failures.isEmpty else { return }
        let remarks = [
            "Ratios of Signet to the floors of the same run, release build: the worst of \(RatioTrial.attempts) medians of \(self.options.runs).",
            "Written by: event-load check --against FILE --write. scenario | series | figure | worse is | value",
            Machine(folder: test.workspace.path).text,
        ]
        let text = Array(RatioTable(lines).text(remarks: remarks).utf8)
        let file = try FileBytes.create(self.against)
        defer { close(file) }
        guard fchmod(file, 0o644) == 0 else { throw LoadError(system: "fchmod \(self.against)") }
        try text.withUnsafeBytes { try FileBytes.write($0, to: file) }
        results.note("The table is written: \(self.against)")
    }

    // A process of its own, so that no scenario lives on the memory of the one before. Its folder lies in that of this one.
    private func measure(
        _ scenario: CheckedScenario,
        _ test: LoadTest,
        _ results: inout Results
    ) throws -> ReportFile {
        let path = test.workspace.fresh(scenario.name) + ".json"
        let common = ["--runs", "\(self.options.runs)", "--json", path, "--directory", test.workspace.path]
        let child = try ChildProcess([scenario.name] + scenario.arguments + common, in: test.workspace)
        while child.readLine() != nil {}
        child.end()
        let report = try ReportFile(at: path)
        for failure in report.failures { results.fail("\(scenario.name): \(failure)") }
        return report
    }

    private static func figure(_ ratio: Ratio, in report: ReportFile) throws -> ReportFile.Figure {
        guard let figure = report.figure(ratio.figure, of: ratio.series) else {
            throw LoadError("\(ratio.name) was not measured")
        }
        return figure
    }
}
