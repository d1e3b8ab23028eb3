// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetWire
import Testing

@testable import Signet
@testable import SignetIterable

/// Providers that fail, tokens that are no good, and ends.
@Suite(.watched) struct IterableTokenFailureTests {
    let ann = TokenRig.ann

    @Test func aProviderThatOnlyFailsIsAskedTenTimesAndThenNoMore() async throws {
        try await TokenRig().run { rig async throws in
            let caller = Task { try await rig.manager.token(for: self.ann) }
            for number in 0..<10 {
                let question = await rig.question()
                if number.isMultiple(of: 2) {
                    question.answer(nil)
                } else {
                    question.answer.resolve(.failure(SignetError(.rejected, "No.")))
                }
                guard number < 9 else { break }
                await rig.clock.untilNextDeadline(is: .seconds(6 * (number + 1)))
                rig.clock.advance(by: .seconds(6))
            }
            #expect(await code(of: caller) == .tokenUnavailable)
            let next = Task { try await rig.manager.token(for: self.ann) }
            #expect(await code(of: next) == .tokenUnavailable)
            #expect(rig.count == 10)
            #expect(rig.told.prefix(2) == [.noToken, .providerFailed])
            #expect(rig.isGivenUp)
        }
    }

    @Test func tokensThatAreNeverAcceptedEndToo() async throws {
        try await TokenRig(policy: TokenRetryPolicy(maximumAttempts: 3)).run { rig async throws in
            let caller = Task { try await rig.manager.token(for: self.ann) }
            await rig.question().answer(TokenRig.token("0"))
            var last = try await caller.value
            for number in 1...3 {
                let refused = last
                let next = Task { try await rig.manager.refused(refused, .invalidated, for: self.ann) }
                guard number < 3 else {
                    #expect(await code(of: next) == .tokenUnavailable)
                    break
                }
                // The first time at once, then after the interval.
                if number > 1 {
                    await rig.clock.untilNextDeadline(is: .seconds(6))
                    rig.clock.advance(by: .seconds(6))
                }
                await rig.question().answer(TokenRig.token("\(number)"))
                last = try await next.value
            }
            #expect(rig.count == 3)
            #expect(rig.isGivenUp)
        }
    }

    @Test func aProviderThatNeverAnswersIsGivenUpAndItsLateAnswerIsNotTaken() async throws {
        let clock = ManualClock()
        let jobs = WorkQueue()
        let calls = Locked(0)
        // Deaf: does not hear that it is cancelled.
        let gate = Locked<CheckedContinuation<Secret?, Never>?>(nil)
        let provider = TokenProvider<IterableUserID>(timeout: .seconds(30)) { _, _ in
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            if call > 1 { return Secret(TokenRig.token("second")) }
            return await withCheckedContinuation { continuation in gate.withLock { $0 = continuation } }
        }
        let told = Locked<[TokenFailure.Reason]>([])
        let manager = IterableTokenManager(provider: provider, time: .manual(clock), jobs: jobs) { failure in
            told.withLock { $0.append(failure.reason) }
        }
        let run = Task { await jobs.run() }
        let caller = Task { try await manager.token(for: self.ann) }
        await clock.untilNextDeadline(is: .seconds(30))
        await until("the provider is asked") { gate.withLock { $0 != nil } }
        clock.advance(by: .seconds(30))
        await clock.untilNextDeadline(is: .seconds(36))
        clock.advance(by: .seconds(6))
        #expect(try await caller.value == TokenRig.token("second"))
        gate.withLock { $0 }?.resume(returning: Secret(TokenRig.token("late")))
        #expect(try await manager.token(for: self.ann) == TokenRig.token("second"))
        #expect(told.withLock { $0 } == [.providerTimedOut])
        run.cancel()
        await run.value
    }

    @Test func aTokenThatCannotStandInAHeaderIsNeverHandedOut() async throws {
        try await TokenRig().run { rig async throws in
            let caller = Task { try await rig.manager.token(for: self.ann) }
            await rig.question().answer("a.b.c\r\nEvil: yes")
            await rig.clock.untilNextDeadline(is: .seconds(6))
            rig.clock.advance(by: .seconds(6))
            await rig.question().answer(TokenRig.token("one"))
            #expect(try await caller.value == TokenRig.token("one"))
            #expect(rig.told == [.formatInvalid])
            await #expect(throws: SignetError.self) { try await rig.manager.set("två", for: self.ann) }
        }
    }

    @Test func anUnreadableTokenIsUsedAndNotAskedForAgainOnceItIsAccepted() async throws {
        try await TokenRig().run { rig async throws in
            let caller = Task { try await rig.manager.token(for: self.ann) }
            await rig.question().answer("opaque")
            #expect(try await caller.value == "opaque")
            #expect(rig.told == [.payloadInvalid])
            await rig.clock.untilNextDeadline(is: .seconds(6))
            await rig.manager.succeeded(with: "opaque", for: self.ann)
            await until("nobody sleeps") { rig.clock.sleepers == 0 }
            #expect(try await rig.manager.token(for: self.ann) == "opaque")
            #expect(rig.count == 1)
        }
    }

    @Test func pausingRefusesThoseWhoWaitAndResumingLetsThemAskAgain() async throws {
        try await TokenRig().run { rig async throws in
            let caller = Task { try await rig.manager.token(for: self.ann) }
            _ = await rig.question()
            await rig.untilWaiting(1, for: self.ann)
            await rig.manager.pause()
            #expect(await code(of: caller) == .tokenUnavailable)
            let refused = Task { try await rig.manager.token(for: self.ann) }
            #expect(await code(of: refused) == .tokenUnavailable)
            await rig.manager.resume()
            let next = Task { try await rig.manager.token(for: self.ann) }
            await rig.question().answer(TokenRig.token("one"))
            #expect(try await next.value == TokenRig.token("one"))
            #expect(rig.count == 2)
        }
    }

    @Test func refreshesThatNobodyNeedsEndAndTheNextRequestBeginsAnew() async throws {
        try await TokenRig(policy: TokenRetryPolicy(maximumAttempts: 3)).run { rig async throws in
            let caller = Task { try await rig.manager.token(for: self.ann) }
            for number in 1...4 {
                await rig.question().answer(TokenRig.token("\(number)", lives: 3600 * Int64(number)))
                if number == 1 { _ = try await caller.value }
                await rig.clock.untilNextDeadline(is: .seconds(3600 * number - 60))
                rig.clock.advance(by: .seconds(3600 * number - 60) - rig.clock.now.offset)
            }
            await until("nobody sleeps") { rig.clock.sleepers == 0 }
            #expect(rig.count == 4)
            let next = Task { try await rig.manager.token(for: self.ann) }
            await rig.question().answer(TokenRig.token("5", lives: 36_000))
            #expect(try await next.value == TokenRig.token("5", lives: 36_000))
        }
    }

    @Test func theEndOfTheRunAnswersThoseWhoWait() async throws {
        let rig = TokenRig()
        let run = Task { await rig.jobs.run() }
        let caller = Task { try await rig.manager.token(for: self.ann) }
        _ = await rig.question()
        await rig.untilWaiting(1, for: self.ann)
        run.cancel()
        #expect(await code(of: caller) == .notRunning)
        await run.value
        let next = Task { try await rig.manager.token(for: self.ann) }
        #expect(await code(of: next) == .notRunning)
        #expect(rig.told == [])
    }

    @Test func nobodyWaitsForAQueueThatIsClosed() async {
        let rig = TokenRig()
        rig.jobs.close()
        let caller = Task { try await rig.manager.token(for: self.ann) }
        #expect(await code(of: caller) == .notRunning)
        #expect(rig.count == 0)
    }

    @Test func aManagerThatIsLetGoLeavesNothingAsleep() async throws {
        let clock = ManualClock()
        let jobs = WorkQueue()
        let run = Task { await jobs.run() }
        do {
            let provider = TokenProvider<IterableUserID> { _, _ in Secret(TokenRig.token("one")) }
            let manager = IterableTokenManager(provider: provider, time: .manual(clock), jobs: jobs)
            _ = try await manager.token(for: self.ann)
            await clock.untilNextDeadline(is: .seconds(3540))
        }
        await until("nobody sleeps") { clock.sleepers == 0 }
        run.cancel()
        await run.value
    }

    @Test func withoutAProviderTokensGivenByHandAreHandedOutUntilTheyAreRefused() async throws {
        let told = Locked<[TokenFailure.Reason]>([])
        let manager = IterableTokenManager(provider: nil, time: .manual(ManualClock()), jobs: WorkQueue()) { failure in
            told.withLock { $0.append(failure.reason) }
        }
        #expect(try await manager.token(for: self.ann) == nil)
        try await manager.set("given", for: self.ann)
        #expect(try await manager.token(for: self.ann) == "given")
        #expect(try await manager.token(for: TokenRig.bob) == nil)
        #expect(try await manager.refused("older", .expired, for: self.ann) == "given")
        let refused = Task { try await manager.refused("given", .expired, for: self.ann) }
        #expect(await code(of: refused) == .unauthorized)
        #expect(try await manager.token(for: self.ann) == nil)
        #expect(told.withLock { $0 } == [.expired])
    }
}
