// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import Testing

/// The promises of a fleet hold whatever happens to replicas, store and network, in whatever order.
struct FleetSimulationTests {
    /// The things that a hundred seeds come to at least.
    private static let least: [String: Int] = [
        "login": 100, "increment": 50, "consent": 50, "erase": 5, "optOut": 5, "endSession": 10, "sessions": 300,
        "events": 3000, "step kill": 100, "step failover": 2, "locked rows": 5, "login requestInProgress": 5,
        "login storeUnreachable": 5,
        "users read": 200, "consents read": 200, "choices read": 500, "choices obeyed": 50, "increments read": 10,
        "rows read": 500, "users named": 20, "events of a user": 300, "events of a moment": 100,
    ]

    /// - 192: failovers lost a log-in, and an event of its user waited for ever behind one of nobody.
    /// - 664: each reading of one installation undid that of another, and the queue went round.
    /// - 711: a process stood still between the check of its slot and the request, which went out beside another replica's.
    /// - 1436: an erasure that the store had cut short was finished on the disk, and went on in the queue for ever.
    /// - 20283: what the first try of an erasure had forgotten, no later one found.
    /// - 21030: a session that one replica did not know to be alive began its successor before it ended.
    /// - 21955: an opt-out changed nothing on an old reading, so the store was not told, though another replica had opted in.
    /// - 6820, 12059: the last flush of a shutdown ended a session, and left its end in the row for another replica.
    @Test(arguments: [192, 664, 711, 1436, 6820, 12059, 20283, 21030, 21955] as [UInt64])
    func whatWentWrongOnceIsRight(seed: UInt64) async throws {
        let book = try await FleetSimulation.run(seed: seed)
        #expect(book.with { $0.violations }.isEmpty)
    }

    @Test func whatAFleetPromisesHoldsWhateverHappens() async throws {
        let tried = try await withThrowingTaskGroup(of: Tried.self) { group in
            for part in SimulationSeeds.parts(2, quick: 10, full: 20_000) {
                group.addTask {
                    var tried = Tried()
                    for seed in part {
                        tried.add(try await FleetSimulation.run(seed: seed), of: seed)
                    }
                    return tried
                }
            }
            return try await group.reduce(into: Tried()) { $0.add($1) }
        }
        for text in tried.failures { Issue.record("\(text)") }
        guard tried.seeds >= 100 else { return }
        print(tried.reached.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))
        for (what, count) in Self.least {
            #expect(tried.reached[what, default: 0] >= count * tried.seeds / 100, "\(what)")
        }
    }

    /// The worlds that were tried: only what went wrong is kept of them.
    private struct Tried {
        var seeds = 0
        var reached: [String: Int] = [:]
        var failures: [String] = []

        mutating func add(_ book: FleetBook, of seed: UInt64) {
            let (violations, counts, story) = book.with { ($0.violations, $0.reached, $0.story) }
            self.seeds += 1
            self.reached.merge(counts) { $0 + $1 }
            guard !violations.isEmpty else { return }
            if SimulationSeeds.given != nil { print(story.joined(separator: "\n")) }
            self.failures.append(
                """
                \(violations.prefix(5).joined(separator: "; "))
                SIGNET_SEED=\(seed) swift test --filter FleetSimulationTests
                """
            )
        }

        mutating func add(_ other: Self) {
            self.seeds += other.seeds
            self.reached.merge(other.reached) { $0 + $1 }
            self.failures += other.failures
        }
    }
}
