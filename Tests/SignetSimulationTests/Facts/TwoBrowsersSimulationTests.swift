// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import Testing

/// What a customer says on one browser holds on all, whatever becomes of the batches.
@Suite(.watched) struct TwoBrowsersSimulationTests {
    @Test func thePlatformHasWhatTheCustomerHasSaidLast() async throws {
        var reached: [String: Int] = [:]
        let seeds = SeededGenerator.seeds(600)
        for seed in seeds {
            let simulation = try TwoBrowsersSimulation(seed: seed)
            try await simulation.play()
            reached.merge(simulation.reached) { $0 + $1 }
            if let violation = simulation.violations.first {
                Issue.record("SIGNET_SEED=\(seed): \(violation)\n\(simulation.story.joined(separator: " "))")
                return
            }
        }
        guard seeds.count >= 60 else { return }
        print(reached.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))
        for (what, count) in [
            "kill": 60, "resent": 20, "looked at the platform after an upload": 300,
            "looked at the platform without a call": 20,
        ] {
            #expect(reached[what, default: 0] >= count * seeds.count / 60, "\(what)")
        }
    }
}
