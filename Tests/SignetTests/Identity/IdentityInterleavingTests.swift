//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SeededNumbers
import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetTesting
import Testing

import class FoundationEssentials.ProcessInfo

@testable import Signet

/// A thousand rounds of calls at once on one installation, with cancellations and weather: never two requests on the wire,
/// no call that does not end, and a slot that is free afterwards.
@Suite struct IdentityInterleavingTests {
    /// One call of a round, decided beforehand.
    struct Plan: Sendable {
        let call: NetworkCall
        let whenBusy: WhenBusy
        /// After how many turns of the executor the caller goes away; nil for one who stays.
        let patience: Int?
        let delay: Int
        let isRetried: Bool

        init(using chance: inout SeededGenerator) {
            let calls = NetworkCall.allCases.filter { $0 != .identified }
            self.call = calls.randomElement(using: &chance) ?? .login
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

        subscript(code: String) -> Int {
            self.counts.withLock { $0[code] ?? 0 }
        }

        var all: [String: Int] {
            self.counts.withLock { $0 }
        }
    }

    private static func seed() -> UInt64 {
        ProcessInfo.processInfo.environment["SIGNET_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...UInt64.max)
    }

    private static func setWeather(_ weather: Weather, using chance: inout SeededGenerator) {
        weather.clear()
        for _ in 0..<Int.random(in: 0...2, using: &chance) {
            let fault: Weather.Fault =
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
            weather.next(fault)
        }
    }

    private static func perform(_ plan: Plan, _ number: Int, on installation: Installation) async -> SignetError.Code? {
        let task = Task {
            for _ in 0..<plan.delay { await Task.yield() }
            let retry = plan.isRetried ? RetryPolicy(totalTime: .seconds(2), initialDelay: .milliseconds(300)) : nil
            return await code { () async throws(SignetError) in
                let request: IdentityRequest = [.customerID: "c-\(number % 7)", .other: "o-\(number)"]
                switch plan.call {
                case .identified: _ = try await installation.identified()
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

    /// Moves the clock to the next sleeper whenever nothing else goes on any more, until the round is over.
    ///
    /// "Nothing goes on" is guessed from many turns of the executor without a change. A wrong guess only makes a request
    /// time out that need not have.
    ///
    /// - Parameters:
    ///   - signet: Whose clock.
    ///   - patience: How many looks without a change it takes.
    ///   - isOver: Whether the round is.
    /// - Returns: False when the round does not end.
    private static func drive(
        _ signet: EmulatedSignet,
        patience: Int = 48,
        until isOver: () -> Bool
    ) async -> Bool {
        var last = (inFlight: 0, sleepers: 0, sent: 0)
        var calm = 0
        for _ in 0..<10_000_000 {
            for _ in 0..<8 {
                guard !isOver() else { return true }
                await Task.yield()
            }
            let transport = signet.transport
            let now = (transport.inFlight, signet.clock.sleepers, transport.exchanges.count)
            calm = now == last ? calm + 1 : 0
            last = now
            guard calm > patience, let next = signet.clock.nextDeadline else { continue }
            signet.clock.advance(to: next)
            calm = 0
        }
        return isOver()
    }

    /// What a call in fair weather comes to that waits for whatever the round has left under way; nil when it hangs.
    private static func lastCall(
        of signet: EmulatedSignet,
        _ installation: Installation,
        patience: Int
    ) async -> SignetError.Code?? {
        signet.emulator.weather.clear()
        // What throttled the endpoint is over by then.
        signet.clock.advance(by: .seconds(4))
        let end = Locked<SignetError.Code??>(.none)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                let limit = Duration.seconds(100_000_000)
                let code = await NetworkCall.identify.code(on: installation, whenBusy: .wait(upTo: limit))
                end.withLock { $0 = .some(code) }
            }
            _ = await Self.drive(signet, patience: patience) { end.withLock { $0 != nil } }
            group.cancelAll()
        }
        return end.withLock { $0 }
    }

    @Test(.timeLimit(.minutes(5))) func aThousandRoundsKeepOneRequestOnTheWireAndFreeTheSlot() async throws {
        let seed = Self.seed()
        print("IdentityInterleavingTests: SIGNET_SEED=\(seed)")
        var chance = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let ends = Ends()
        // A logout returns to the anonymous user, so that the installation does not meet a new one each time.
        let platform = EmulatorConfiguration(strategy: .isolation)
        try await withEmulatedSignet(in: folder.path, emulator: platform) {
            // Nothing but identity goes over the wire, so that the double counts identity alone.
            $0.identity.requestTimeout = .seconds(2)
            $0.sessions.timeout = .seconds(100_000_000)
            $0.events.uploadInterval = .seconds(100_000_000)
            $0.events.linger = .seconds(100_000_000)
        } _: { signet in
            let installation = try signet.runtime.open("one")
            for round in 0..<1000 {
                Self.setWeather(signet.emulator.weather, using: &chance)
                let plans = (0..<Int.random(in: 2...7, using: &chance)).map { _ in Plan(using: &chance) }
                let left = Locked(plans.count)
                await withTaskGroup(of: Void.self) { group in
                    for (index, plan) in plans.enumerated() {
                        group.addTask {
                            ends.count(await Self.perform(plan, round * 10 + index, on: installation))
                            left.withLock { $0 -= 1 }
                        }
                    }
                    let isOver = await Self.drive(signet) { left.withLock { $0 == 0 } }
                    #expect(isOver, "A call of round \(round) hangs; SIGNET_SEED=\(seed)")
                }
                // On a machine with much else to do the clock may overtake the request; then it is made again.
                var last: SignetError.Code?? = .some(.timedOut)
                var patience = 16
                while last == .some(.timedOut) || last == .some(.throttled), patience < 100_000 {
                    last = await Self.lastCall(of: signet, installation, patience: patience)
                    patience *= 2
                }
                #expect(last == .some(nil), "The slot was left taken in round \(round); SIGNET_SEED=\(seed)")
                ends.count(last ?? .requestInProgress)
            }
            #expect(await installation.core.identity.machine.isIdle)
            #expect(signet.transport.maximumInFlight == 1, "SIGNET_SEED=\(seed)")
            #expect(signet.runtime.statistics.requestsSent["events"] == nil)
            #expect(installation.allUsers.count == Set(installation.allUsers.map(\.mpid)).count)
            // Each change of user is a batch of its own: delivering them at the limit of batches a second needs a clock that
            // somebody moves.
            _ = await signet.runtime.shutdown(within: .zero)
        }
        // How many of each depends on how busy the machine is: a wrong guess of the driver turns an answer into a time-out.
        for (code, least) in [("success", 100), ("requestInProgress", 20), ("cancelled", 20), ("timedOut", 5)] {
            #expect(ends[code] >= least, "Only \(ends[code]) of \(code) in \(ends.all); SIGNET_SEED=\(seed)")
        }
        let refusals = ["serverFailure", "throttled", "notConnected", "refused", "unexpectedAnswer"]
        #expect(refusals.count { ends[$0] > 0 } >= 3, "The weather hardly showed in \(ends.all); SIGNET_SEED=\(seed)")
    }
}
