//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Leaves out steps of a run that failed, as long as it still fails.
enum Shrinking {
    /// The most runs that it takes.
    private static let limit = 150

    /// Finds a shorter run that fails too.
    ///
    /// - Parameter report: A run that failed.
    /// - Returns: The shortest that was found.
    /// - Throws: When there is no room for its files.
    static func run(_ report: SimulationReport) async throws -> SimulationReport {
        var best = report
        var runs = 0
        var size = max(1, report.steps.count / 2)
        while runs < self.limit {
            var start = 0
            var isShorter = false
            while start < best.steps.count, runs < self.limit {
                var steps = best.steps
                steps.removeSubrange(start..<min(start + size, steps.count))
                runs += 1
                let shorter = try await Simulation.run(seed: report.seed, steps: steps)
                if shorter.violations.isEmpty {
                    start += size
                } else {
                    best = shorter
                    isShorter = true
                }
            }
            if size == 1, !isShorter { break }
            size = max(1, size / 2)
        }
        return best
    }
}
