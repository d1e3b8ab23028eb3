// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Rounds of calls at once on one installation, with cancellations and faults: never two requests on the wire, no call that
/// does not end, and a slot that is free afterwards.
///
/// The order of all tasks is the seed's, and the clock moves only when no task can go on without it.
@Suite(.watched) struct IdentityInterleavingTests {
    enum Call: CaseIterable {
        case identify, login, logout, modify, search
    }

    /// One call of a round, decided beforehand.
    struct Plan: Sendable {
        let call: Call
        let whenBusy: ConflictPolicy
        /// After how many turns of the executor the caller goes away; nil for one who stays.
        let patience: Int?
        let delay: Int
        let isRetried: Bool

        init(using chance: inout SeededGenerator) {
            self.call = Call.allCases.randomElement(using: &chance) ?? .login
            self.whenBusy =
                switch Int.random(in: 0..<8, using: &chance) {
                case 0: .wait(upTo: .zero)
                case 1...4: .wait(upTo: .milliseconds(Int.random(in: 1...4000, using: &chance)))
                default: .refuse
                }
            self.patience = Int.random(in: 0..<4, using: &chance) == 0 ? Int.random(in: 0...30, using: &chance) : nil
            self.delay = Int.random(in: 0...12, using: &chance)
            self.isRetried = Int.random(in: 0..<4, using: &chance) == 0
        }
    }

    /// How often each end was reached.
    private final class Ends: Sendable {
        private let counts = Locked<[String: Int]>([:])

        func count(_ code: SignetError.Code?) {
            self.counts.withLock { $0[code?.description ?? "success", default: 0] += 1 }
        }

        var all: [String: Int] {
            self.counts.withLock { $0 }
        }
    }

    private static func setFaults(_ faults: FaultInjector, using chance: inout SeededGenerator) {
        faults.clear()
        for _ in 0..<Int.random(in: 0...2, using: &chance) {
            let fault: FaultInjector.Fault =
                switch Int.random(in: 0..<10, using: &chance) {
                case 0: .delay(.milliseconds(Int.random(in: 1...2500, using: &chance)))
                case 1: .timeout
                case 2: .status(500)
                case 3: .status(429, retryAfter: .seconds(Int.random(in: 0...3, using: &chance)))
                case 4: .replyLost
                case 5: .connectionRefused
                case 6: .truncated
                case 7: .status(400)
                case 8: .garbage(Array("{}".utf8))
                default: .delay(.milliseconds(200))
                }
            faults.inject(fault)
        }
    }

    private static func code(_ body: () async throws(SignetError) -> Void) async -> SignetError.Code? {
        do throws(SignetError) {
            try await body()
            return nil
        } catch {
            return error.code
        }
    }

    /// Makes a call, and goes away early if its plan says so.
    private static func perform(
        _ plan: Plan,
        _ number: Int,
        on installation: Installation,
        _ executor: SeededExecutor
    ) async -> SignetError.Code? {
        let task = Task(executorPreference: executor) {
            for _ in 0..<plan.delay { await Task.yield() }
            let retry = plan.isRetried ? RetryPolicy(totalTime: .seconds(2), initialDelay: .milliseconds(300)) : nil
            return await Self.code { () async throws(SignetError) in
                let request: IdentityRequest = [.customerID: "c-\(number % 7)", .other: "o-\(number)"]
                switch plan.call {
                case .identify: try await installation.identify(request, whenBusy: plan.whenBusy, retry: retry)
                case .login: try await installation.login(request, whenBusy: plan.whenBusy, retry: retry)
                case .logout: try await installation.logout(whenBusy: plan.whenBusy, retry: retry)
                case .modify:
                    try await installation.modify([.other: "m-\(number)"], whenBusy: plan.whenBusy, retry: retry)
                case .search: _ = try await installation.search(request, whenBusy: plan.whenBusy, retry: retry)
                }
            }
        }
        if let patience = plan.patience {
            for _ in 0..<patience { await Task.yield() }
            task.cancel()
        }
        return await task.value
    }

    /// Moves the clock to the next sleeper whenever no task can go on without it, until all calls have ended.
    ///
    /// - Returns: False when a call can never end: no task is ready, and none sleeps but for the timers of sessions and uploads.
    private static func drive(_ signet: EmulatedSignet, _ executor: SeededExecutor, left: Locked<Int>) async -> Bool {
        let last = signet.clock.now.advanced(by: .seconds(2_000_000))
        while true {
            await executor.settled()
            guard left.withLock({ $0 > 0 }) else { return true }
            guard let next = signet.clock.nextDeadline, next < last else { return false }
            signet.clock.advance(to: next)
        }
    }

    /// Makes the calls at once, and waits until all have ended.
    private static func round(
        _ signet: EmulatedSignet,
        _ executor: SeededExecutor,
        _ calls: [@Sendable () async -> Void]
    ) async -> Bool {
        let left = Locked(calls.count)
        return await withTaskGroup(of: Void.self) { group in
            for call in calls {
                group.addTask {
                    await call()
                    left.withLock { $0 -= 1 }
                }
            }
            let isOver = await Self.drive(signet, executor, left: left)
            group.cancelAll()
            return isOver
        }
    }

    private static func play(seed: UInt64, rounds: Int, _ executor: SeededExecutor, _ ends: Ends) async throws {
        var chance = SeededGenerator(seed: seed)
        let folder = try DiskFolder.temporary()
        defer { folder.remove() }
        // A logout returns to the anonymous user, so that the installation does not meet a new one each time.
        let platform = EmulatorConfiguration(strategy: .isolation, mpids: .counting(from: 7_391_640_028_115_001))
        try await withEmulatedSignet(in: folder.path, emulator: platform) {
            // Nothing but identity goes over the wire, so that the double counts identity alone.
            $0.useApplicationDefaults()
            $0.sessions.mode = .server
            $0.identity.requestTimeout = .seconds(2)
            $0.sessions.timeout = .seconds(100_000_000)
            $0.events.uploadInterval = .seconds(100_000_000)
            $0.events.priorityUploadDelay = .seconds(100_000_000)
        } _: { signet in
            let installation = try await signet.runtime.open("one")
            for round in 0..<rounds {
                let comment: Comment = "Round \(round), SIGNET_SEED=\(seed)"
                Self.setFaults(signet.emulator.faults, using: &chance)
                let plans = (0..<Int.random(in: 2...7, using: &chance)).map { _ in Plan(using: &chance) }
                let calls = plans.enumerated().map { index, plan -> @Sendable () async -> Void in
                    { ends.count(await Self.perform(plan, round * 10 + index, on: installation, executor)) }
                }
                try #require(await Self.round(signet, executor, calls), comment)
                // A call in fair faults, once what throttled the endpoint is over, waits for whatever the round has left.
                signet.emulator.faults.clear()
                signet.clock.advance(by: .seconds(4))
                let last = Locked<SignetError.Code?>(.notRunning)
                let identify: @Sendable () async -> Void = {
                    let limit = Duration.seconds(1_000_000)
                    let code = await Self.code { () async throws(SignetError) in
                        try await installation.identify(whenBusy: .wait(upTo: limit))
                    }
                    last.withLock { $0 = code }
                }
                try #require(await Self.round(signet, executor, [identify]), comment)
                #expect(last.withLock { $0 } == nil, comment)
            }
            #expect(installation.core.store.read { $0.identity.isIdle })
            #expect(signet.transport.maximumInFlight == 1, "SIGNET_SEED=\(seed)")
            #expect(signet.runtime.statistics.requestsSent["events"] == nil)
            #expect(installation.allUsers.count == Set(installation.allUsers.map(\.mpid)).count)
            // Each change of user is a batch of its own: delivering them at the limit of batches a second needs a clock that
            // moves.
            _ = await signet.runtime.shutdown(within: .zero)
        }
    }

    @Test func oneRequestIsOnTheWireAndTheSlotIsFreeAfterwards() async throws {
        let ends = Ends()
        let rounds = TestScale.count(quick: 60, full: 500)
        var played = 0
        for seed in SimulationSeeds.few(quick: 1, full: 20) {
            let executor = SeededExecutor(seed: seed)
            try await withTaskExecutorPreference(executor) {
                try await Self.play(seed: seed, rounds: rounds, executor, ends)
            }
            played += rounds
        }
        print("\(played) rounds: \(ends.all)")
        // Of a hundred rounds.
        let least = [
            "success": 100, "requestInProgress": 20, "cancelled": 10, "timedOut": 3, "serverFailure": 1, "throttled": 1,
        ]
        for (code, count) in least {
            #expect(ends.all[code, default: 0] >= max(1, count * played / 100), "\(code) in \(ends.all)")
        }
        let refusals = ["serverFailure", "throttled", "notConnected", "refused", "unexpectedAnswer"]
        #expect(refusals.count { ends.all[$0, default: 0] > 0 } >= 3, "The faults hardly showed in \(ends.all)")
    }
}
