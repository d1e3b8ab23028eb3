//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Testing

/// What apps are told of profiles comes true, whatever happens, in whatever order.
struct ProfileSimulationTests {
    @Test func whatAppsWereToldComesTrue() async throws {
        let reports = try await Self.run(SimulationSeeds.parts(2))
        var reached: [String: Int] = [:]
        for report in reports {
            reached.merge(report.reached) { $0 + $1 }
            guard !report.violations.isEmpty else { continue }
            if SimulationSeeds.given != nil { print(report.story.joined(separator: "\n")) }
            Issue.record("\(report.complaint)")
        }
        guard reports.count >= 100 else { return }
        print(reached.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))
    }

    private static func run(_ parts: [[UInt64]]) async throws -> [ProfileReport] {
        try await withThrowingTaskGroup(of: [ProfileReport].self) { group in
            for seeds in parts {
                group.addTask {
                    var reports: [ProfileReport] = []
                    for seed in seeds {
                        print("SEED \(seed)")
                        reports.append(try await ProfileSimulation.run(seed: seed))
                    }
                    return reports
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}
