// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import Testing

/// What apps are told of visitors comes true, whatever happens, in whatever order, and whoever comes back.
struct IterableSimulationTests {
    /// What a hundred worlds come to at least.
    private static let least: [String: Int] = [
        "kill": 100, "shutdown": 50, "arrived": 200, "record queued": 100, "record buffered": 100,
        "excused: opted out": 10, "excused: consent revoked": 10, "owed service, kill": 20,
        "owed service, shutdown": 10, "owed service, living": 5, "owed outbox, kill": 1,
    ]

    @Test func whatAppsWereToldOfVisitorsComesTrue() async throws {
        let reports = try await Self.run(SimulationSeeds.parts(2, quick: 20, full: 5000))
        var reached: [String: Int] = [:]
        for report in reports {
            reached.merge(report.reached) { $0 + $1 }
            guard !report.violations.isEmpty else { continue }
            let shorter = try await Shrinking.run(report)
            if SimulationSeeds.given != nil { print(shorter.story.joined(separator: "\n")) }
            Issue.record(
                """
                \(report.violations.prefix(5).joined(separator: "; "))
                SIGNET_SEED=\(report.seed) swift test --filter IterableSimulationTests
                The least that fails: \(shorter.steps.map(\.kind.rawValue))
                """
            )
        }
        guard reports.count >= 100 else { return }
        print(reached.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))
        for (what, count) in Self.least {
            #expect(reached[what, default: 0] >= count * reports.count / 100, "\(what)")
        }
        for kind in IterableStep.Kind.allCases {
            #expect(reached["step \(kind)", default: 0] >= reports.count / 5, "\(kind)")
        }
    }

    private static func run(_ parts: [[UInt64]]) async throws -> [IterableSimulation.Report] {
        try await withThrowingTaskGroup(of: [IterableSimulation.Report].self) { group in
            for seeds in parts {
                group.addTask {
                    var reports: [IterableSimulation.Report] = []
                    for seed in seeds { reports.append(try await IterableSimulation.run(seed: seed)) }
                    return reports
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}
