// SPDX-License-Identifier: Apache-2.0

/// A short version of a scenario, and the ratios that are taken from it.
struct CheckedScenario: Sendable {
    let name: String
    /// The arguments beside `--runs`, `--json` and `--directory`.
    let arguments: [String]
    let ratios: [Ratio]

    private init(_ name: String, _ arguments: [String], _ ratios: [(String, String, Ratio.Worse)]) {
        self.name = name
        self.arguments = arguments
        self.ratios = ratios.map { Ratio(scenario: name, series: $0.0, figure: $0.1, worse: $0.2) }
    }

    /// All of them: the scenarios that have their floor in the same run.
    static let all = [
        CheckedScenario(
            "accept",
            ["--events", "200000", "--only", "1 task, an installation each"],
            [("1 task, an installation each", "CPU / (encoding + memcpy + CRC)", .higher)]
        ),
        CheckedScenario(
            "durable",
            ["--events", "32000"],
            [("64 tasks, each awaiting sync()", "throughput / bare group commit", .lower)]
        ),
        CheckedScenario(
            "recovery",
            ["--bytes", "268435456"],
            [("warm", "opening / (reading and CRC-32C)", .higher)]
        ),
        CheckedScenario(
            "identity",
            ["--events", "6400"],
            [
                ("1 installation", "CPU / the emulator alone", .higher),
                ("64 installations at once", "CPU / the emulator alone", .higher),
            ]
        ),
        CheckedScenario(
            "upload",
            ["--events", "200000", "--only", "bulk, sink in this process"],
            [("bulk, sink in this process", "CPU / (the same + pread)", .higher)]
        ),
    ]
}
