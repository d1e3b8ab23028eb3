// SPDX-License-Identifier: Apache-2.0

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
        let steps = try await Self.shortest(report.steps) { steps in
            try await !Simulation.run(seed: report.seed, steps: steps).violations.isEmpty
        }
        return try await Simulation.run(seed: report.seed, steps: steps)
    }

    /// The same for worlds of profiles.
    static func run(_ report: InfobipReport) async throws -> InfobipReport {
        let steps = try await Self.shortest(report.steps) { steps in
            try await !InfobipSimulation.run(seed: report.seed, steps: steps).violations.isEmpty
        }
        return try await InfobipSimulation.run(seed: report.seed, steps: steps)
    }

    /// The same for worlds of visitors.
    static func run(_ report: IterableSimulation.Report) async throws -> IterableSimulation.Report {
        let steps = try await Self.shortest(report.steps) { steps in
            try await !IterableSimulation.run(seed: report.seed, steps: steps).violations.isEmpty
        }
        return try await IterableSimulation.run(seed: report.seed, steps: steps)
    }

    private static func shortest<Step>(_ steps: [Step], fails: ([Step]) async throws -> Bool) async throws -> [Step] {
        var best = steps
        var runs = 0
        var size = max(1, best.count / 2)
        while runs < self.limit {
            var start = 0
            var isShorter = false
            while start < best.count, runs < self.limit {
                var steps = best
                steps.removeSubrange(start..<min(start + size, steps.count))
                runs += 1
                if try await fails(steps) {
                    best = steps
                    isShorter = true
                } else {
                    start += size
                }
            }
            if size == 1, !isShorter { break }
            size = max(1, size / 2)
        }
        return best
    }
}
