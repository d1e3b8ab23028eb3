// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The JSON file of a scenario, read back.
struct ReportFile: Decodable {
    /// One way to run the scenario.
    struct Series: Decodable {
        let name: String
        let figures: [Figure]
    }

    /// One figure of all runs.
    struct Figure: Decodable {
        let name: String
        let unit: String
        let median: Double
        let runs: [Double]
        /// As the table says it, such as `<= 2`; nil without one.
        let goal: String?
        let isGoalMet: Bool?
    }

    let scenario: String
    let series: [Series]
    let failures: [String]

    /// Reads a file that `--json` has written.
    ///
    /// - Throws: ``LoadError`` when it cannot be read, or is not such a file.
    init(at path: String) throws {
        try self.init(json: try FileBytes.read(path), from: path)
    }

    /// Decodes the bytes of such a file.
    ///
    /// - Parameters:
    ///   - json: Its bytes.
    ///   - path: Its name, for the error.
    /// - Throws: ``LoadError``.
    init(json: [UInt8], from path: String) throws {
        do {
            self = try JSONDecoder().decode(ReportFile.self, from: Data(json))
        } catch {
            throw LoadError("\(path) is no JSON file of a scenario: \(error)")
        }
    }

    /// A figure of a series; nil when it was not measured.
    func figure(_ name: String, of series: String) -> Figure? {
        self.series.first { $0.name == series }?.figures.first { $0.name == name }
    }
}
