// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetTestSupport
import Testing

/// The promises of the runtime hold whatever happens, in whatever order.
struct SimulationTests {
    /// What a hundred seeds come to at least.
    private static let least: [String: Int] = [
        "kill": 50, "powerLoss": 5, "shutdown": 30, "flush": 30,
        "crash with batches under way": 5, "crash after disk faults": 5,
        "uploads unauthorized": 5, "batch set aside": 5, "batch sent again": 50, "batch postponed": 50,
        "event delivered twice, with its id": 1, "diskFull": 20, "diskFailed": 5, "state not saved": 5,
        "a visitor never returned": 50, "owed identify, kill": 5, "owed identify, living": 2,
        "owed identify, shutdown": 2,
        "owed facts, kill": 2, "owed facts, shutdown": 1, "owed facts, living": 1, "a session that began has ended": 25,
        "a consent of a day ago is known": 5, "left to the app": 3, "a kill over an answer was planned": 20,
        "a consent is what the last call has said": 1,
        "owed events, kill": 20, "owed events, living": 10, "owed events, shutdown": 10,
        "owed batch, kill": 10, "owed batch, living": 5, "owed batch, shutdown": 5,
        "owed sessionEnd, kill": 10, "owed sessionEnd, living": 5, "owed sessionEnd, shutdown": 5,
        "opted out": 20, "erased": 20, "looked for traces": 50, "status 429": 5, "events delivered": 5000,
    ]

    @Test func nothingIsLostWhateverHappens() async throws {
        let reports = try await Self.run(SimulationSeeds.parts(2))
        var reached: [String: Int] = [:]
        for report in reports {
            reached.merge(report.reached) { $0 + $1 }
            guard !report.violations.isEmpty else { continue }
            let shorter = try await Shrinking.run(report)
            if SimulationSeeds.given != nil { print(shorter.story.joined(separator: "\n")) }
            Issue.record("\(report.complaint)\nThe least that fails: \(shorter.steps.map(\.kind.rawValue))")
        }
        guard reports.count >= 100 else { return }
        print(reached.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))
        for (what, count) in Self.least {
            #expect(reached[what, default: 0] >= count * reports.count / 100, "\(what)")
        }
    }

    private static let privateKinds: [Step.Kind] = [
        .log, .log, .log, .burst, .login, .login, .logout, .modify, .moment, .moment, .minutes, .network, .disk,
        .flush, .kill, .powerLoss, .shutdown, .optOut, .optOut, .forget, .forget,
    ]

    private static let regressions: [UInt64] = [
        1634, 77_000_071, 1_211_678_545, 2373, 77_101_448, 667_876_180, 667_876_101, 179,
    ]

    /// Each found a defect that is mended.
    ///
    /// - 179, 667876101, 667876180: events of nobody that an erasure left behind under an older number of their installation.
    /// - 1211678545: events that were taken in twice, as the disk failed between two files of the journal; in an optimised
    ///   build events of an opt-out that came back with the power, as a sync that failed was not tried again.
    /// - 2373: a batch of an erased user that arrived after later events.
    /// - 1634: an event that left the journal as an erased user's while it was on the wire as somebody else's.
    /// - 77000071: numbers of events that were given again after a loss of power. 77101448: one or the other of these.
    @Test(arguments: Self.regressions.prefix(TestScale.count(quick: 3, full: 8)))
    func aWorldThatHasFoundADefectFindsItNoMore(seed: UInt64) async throws {
        let report = try await Simulation.run(
            seed: seed,
            steps: Step.plan(of: seed, Self.privateKinds),
            everybodyReturns: true
        )
        #expect(report.violations.isEmpty)
    }

    /// The same in a world of the other kind, where a batch of an erased user arrived after later events.
    @Test func aBatchThatWasGivenUpOvertakesNobody() async throws {
        let report = try await Simulation.run(
            seed: 77_104_101,
            steps: Step.planWithoutFacts(of: 77_104_101),
            everybodyReturns: true
        )
        #expect(report.violations.isEmpty)
    }

    /// After a loss of power, a later start did not find the event of an opt-out under its lower number, and logged it again.
    @Test func theEventOfAnOptOutIsLoggedOnceWhateverItsNumber() async throws {
        let report = try await Simulation.run(
            seed: 23058,
            steps: Step.planWithoutFacts(of: 23058),
            everybodyReturns: true
        )
        #expect(report.violations.isEmpty)
    }

    /// An open that the disk refused made the runtime forget the request that was under way for the object before.
    @Test func anOpenThatFailsForgetsNotWhoIsAtThePlatform() async throws {
        let report = try await Simulation.run(
            seed: 1770,
            steps: Step.planWithoutFacts(of: 1770),
            everybodyReturns: true
        )
        #expect(report.violations.isEmpty)
    }

    /// An installation was opened, closed and left memory, while a request of the object before it was in progress.
    @Test func theNextObjectAwaitsARequestOfTheOneBeforeTheLast() async throws {
        let report = try await Simulation.run(
            seed: 22349,
            steps: Step.planWithoutFacts(of: 22349),
            everybodyReturns: true
        )
        #expect(report.violations.isEmpty)
    }

    /// Who has opted out and who was erased stays so: the same world, with more of that and more deaths.
    @Test func nobodyComesBackWhateverHappens() async throws {
        let reports = try await Self.run(SimulationSeeds.parts(2, full: 10_000)) {
            Step.plan(of: $0, Self.privateKinds + [.consent, .consent, .pushToken])
        }
        var reached: [String: Int] = [:]
        for report in reports {
            reached.merge(report.reached) { $0 + $1 }
            guard !report.violations.isEmpty else { continue }
            let shorter = try await Shrinking.run(report)
            if SimulationSeeds.given != nil { print(shorter.story.joined(separator: "\n")) }
            Issue.record("\(report.complaint)\nThe least that fails: \(shorter.steps.map(\.kind.rawValue))")
        }
        guard reports.count >= 100 else { return }
        print(["erased", "opted out", "looked for traces", "powerLoss"].map { "\($0): \(reached[$0, default: 0])" })
        for (what, count) in ["erased": 100, "opted out": 50, "looked for traces": 200, "powerLoss": 50] {
            #expect(reached[what, default: 0] >= count * reports.count / 100, "\(what)")
        }
    }

    /// But for losses of power: how far the search for the next frame goes in a torn file depends on bytes, and ids and salts
    /// are random ones.
    @Test func aSeedTakesTheSameWayEachTime() async throws {
        for seed in stride(from: 37 as UInt64, to: 37 * UInt64(TestScale.count(quick: 3, full: 101)), by: 37) {
            let steps = Step.plan(of: seed).filter { $0.kind != .powerLoss }
            let first = try await Simulation.run(seed: seed, steps: steps)
            let second = try await Simulation.run(seed: seed, steps: steps)
            let parting = zip(first.notes, second.notes).enumerated().first { $1.0 != $1.1 }
            #expect(parting == nil, "seed \(seed), after \(first.notes.prefix(parting?.offset ?? 0).suffix(8))")
            #expect(first.trace == second.trace, "seed \(seed)")
        }
    }

    /// The same steps, in the same world: only who goes on first is another seed's.
    @Test func differentSeedsTakeDifferentWays() async throws {
        let kinds: [Step.Kind] = [.log, .login, .log, .moment, .modify, .log, .identify, .log, .moment, .logout]
        let steps = kinds.enumerated().map { Step(kind: $1, seed: UInt64($0)) }
        var ways: Set<UInt64> = []
        let orders = TestScale.count(quick: 40, full: 5000)
        for seed in 0..<UInt64(orders) {
            let report = try await Simulation.run(seed: 1, steps: steps, order: seed)
            #expect(report.violations.isEmpty, "order \(seed): \(report.violations.prefix(3))")
            ways.insert(report.trace)
        }
        print("\(ways.count) different ways")
        #expect(ways.count >= orders * 3 / 5)
    }

    private static func run(
        _ parts: [[UInt64]],
        steps: @escaping @Sendable (UInt64) -> [Step] = { Step.plan(of: $0) }
    ) async throws -> [SimulationReport] {
        try await withThrowingTaskGroup(of: [SimulationReport].self) { group in
            for seeds in parts {
                group.addTask {
                    var reports: [SimulationReport] = []
                    for seed in seeds { reports.append(try await Simulation.run(seed: seed, steps: steps(seed))) }
                    return reports
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}
