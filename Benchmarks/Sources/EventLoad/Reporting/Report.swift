// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// A scenario with everything that was measured, as it goes into the JSON file.
struct Report: Encodable {
    let scenario: String
    let arguments: [String]
    let runs: Int
    let date: Date
    let machine: Machine
    let series: [Results.Series]
    let notes: [String]
    let failures: [String]

    init(scenario: String, options: LoadOptions, machine: Machine, results: Results) {
        self.scenario = scenario
        self.arguments = Array(CommandLine.arguments.dropFirst())
        self.runs = options.runs
        self.date = Date()
        self.machine = machine
        self.series = results.series
        self.notes = results.notes
        self.failures = results.failures
    }

    /// Writes the JSON.
    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        var bytes = [UInt8](try encoder.encode(self))
        bytes.append(UInt8(ascii: "\n"))
        let file = try FileBytes.create(path)
        defer { close(file) }
        try bytes.withUnsafeBytes { try FileBytes.write($0, to: file) }
    }
}
