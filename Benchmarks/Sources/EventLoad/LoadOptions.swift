// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What every scenario can be told.
struct LoadOptions: ParsableArguments {
    @Option(help: "How many events a run logs; each scenario has a default.")
    var events: Int?

    @Option(help: "Ends each run after so many seconds instead, where the scenario can.")
    var seconds: Double?

    @Option(help: "How often everything is measured.")
    var runs = 5

    @Option(help: ArgumentHelp("Writes all figures of all runs.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Only the series whose names contain this; repeated, all of it.", valueName: "text"))
    var only: [String] = []

    @Option(help: "Where temporary folders are made; they are removed at the end.")
    var directory = "/tmp"

    /// The series that a scenario can measure, as far as it has asked; a process runs one scenario.
    private static let asked = Lock<[String]>([])

    /// Whether a series is to be measured.
    func includes(_ series: String) -> Bool {
        Self.asked.withLock { names in
            if !names.contains(series) { names.append(series) }
        }
        return self.isChosen(series)
    }

    /// What is wrong with `--only`.
    ///
    /// - Parameter measured: The names of the series that were measured.
    /// - Returns: A sentence with all names when `--only` has chosen none of them; nil otherwise.
    func complaint(measured: [String]) -> String? {
        guard !self.only.isEmpty, !measured.contains(where: { self.isChosen($0) }) else { return nil }
        let asked = Self.asked.withLock { $0 }
        let names = asked + measured.filter { !asked.contains($0) }
        return "--only chooses no series; there are " + names.map { "'\($0)'" }.joined(separator: ", ")
    }

    private func isChosen(_ series: String) -> Bool {
        self.only.allSatisfy { series.contains($0) }
    }

    func validate() throws {
        guard self.runs >= 1 else { throw ValidationError("--runs must be 1 or more.") }
        guard self.events ?? 1 >= 1 else { throw ValidationError("--events must be 1 or more.") }
        guard self.seconds ?? 1 > 0 else { throw ValidationError("--seconds must be above 0.") }
    }
}
