//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import Testing

/// The promises of the runtime hold whatever happens, in whatever order.
struct SimulationTests {
    @Test func nothingIsLostWhateverHappens() async throws {
        let reports = try await withThrowingTaskGroup(of: [SimulationReport].self) { group in
            for seeds in SimulationSeeds.parts(3) {
                group.addTask {
                    var reports: [SimulationReport] = []
                    for seed in seeds { reports.append(try await Simulation.run(seed: seed)) }
                    return reports
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        var reached: [String: Int] = [:]
        for report in reports {
            if !report.violations.isEmpty {
                if SimulationSeeds.given != nil { print(report.story.joined(separator: "\n")) }
                Issue.record("\(report.complaint)")
            }
            reached.merge(report.reached) { $0 + $1 }
        }
        print(reached.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n"))
    }

    @Test func aSeedTakesTheSameWayEachTime() async throws {
        for seed in stride(from: 37 as UInt64, to: 37 * 15, by: 37) {
            let first = try await Simulation.run(seed: seed)
            let second = try await Simulation.run(seed: seed)
            let parting = zip(first.notes, second.notes).enumerated().first { $1.0 != $1.1 }
            #expect(parting == nil, "seed \(seed), after \(first.notes.prefix(parting?.offset ?? 0).suffix(8))")
            #expect(first.trace == second.trace, "seed \(seed)")
        }
    }
}
