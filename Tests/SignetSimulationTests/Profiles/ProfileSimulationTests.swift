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
    /// What a hundred worlds come to at least, but for losses of power, which few have.
    private static let least: [String: Int] = [:]

    @Test func whatAppsWereToldComesTrue() async throws {
        let reports = try await Self.run(SimulationSeeds.parts(2, of: 200))
        var reached: [String: Int] = [:]
        var shrunk = 0
        for report in reports {
            reached.merge(report.reached) { $0 + $1 }
            guard !report.violations.isEmpty else { continue }
            shrunk += 1
            // Of many that fail, a few are enough to see why.
            let shorter = shrunk > 3 ? report : try await Shrinking.run(report)
            if SimulationSeeds.given != nil { print(shorter.story.joined(separator: "\n")) }
            Issue.record("\(report.complaint)\nThe least that fails: \(shorter.steps.map(\.kind.rawValue))")
        }
        guard reports.count >= 100 else { return }
        print(reached.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))
        for (what, count) in Self.least {
            #expect(reached[what, default: 0] >= count * reports.count / 100, "\(what)")
        }
    }

    /// Worlds that the runtime once failed in; each is told of by the defect that it found.
    @Test(arguments: [1] as [UInt64])
    func aWorldThatHasFoundADefectFindsItNoMore(seed: UInt64) async throws {
        let report = try await ProfileSimulation.run(seed: seed)
        #expect(report.violations.isEmpty)
    }

    @Test func aSeedTakesTheSameWayEachTime() async throws {
        for seed in stride(from: 41 as UInt64, to: 41 * 11, by: 41) {
            // How far a search goes in a torn file depends on random ids: see `SimulationTests`.
            let steps = ProfileStep.plan(of: seed).filter { $0.kind != .powerLoss }
            let first = try await ProfileSimulation.run(seed: seed, steps: steps)
            let second = try await ProfileSimulation.run(seed: seed, steps: steps)
            #expect(first.trace == second.trace, "seed \(seed)")
            #expect(first.story == second.story, "seed \(seed)")
        }
    }

    private static func run(_ parts: [[UInt64]]) async throws -> [ProfileReport] {
        try await withThrowingTaskGroup(of: [ProfileReport].self) { group in
            for seeds in parts {
                group.addTask {
                    var reports: [ProfileReport] = []
                    for seed in seeds {
                        let report = try await ProfileSimulation.run(seed: seed)
                        reports.append(report.violations.isEmpty ? report.withoutStory : report)
                    }
                    return reports
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}
