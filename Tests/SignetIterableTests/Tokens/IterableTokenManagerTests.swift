// SPDX-License-Identifier: Apache-2.0

import SignetRuntimeTestSupport
import SignetTesting
import SignetWire
import Testing

@testable import Signet
@testable import SignetIterable

@Suite struct IterableTokenManagerTests {
    let ann = TokenRig.ann
    let bob = TokenRig.bob

    @Test func aGoodbyeDoesNotTakeTheTokenOfWhoHasComeMeanwhile() async throws {
        let given = IterableTokenManager(provider: nil, time: .manual(ManualClock()), jobs: WorkQueue())
        for identity in [TokenRig.ann, TokenRig.bob] { try await given.set("token", for: identity) }
        await given.reset(keeping: TokenRig.bob)
        #expect(try await given.token(for: TokenRig.ann) == nil)
        #expect(try await given.token(for: TokenRig.bob) == "token")
        let rig = TokenRig()
        try await rig.manager.set(TokenRig.token("a"), for: TokenRig.ann)
        try await rig.manager.set(TokenRig.token("b"), for: TokenRig.bob)
        await rig.manager.reset(keeping: TokenRig.bob)
        #expect(await rig.manager.handlers.keys.map { $0 } == [TokenRig.bob])
        #expect(try await rig.manager.token(for: TokenRig.bob) == TokenRig.token("b"))
        #expect(rig.count == 0)
    }

    @Test func oneAnswerOfTheProviderServesEverybodyWhoWaits() async throws {
        try await TokenRig().run { rig async throws in
            let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<20 { group.addTask { try await rig.manager.token(for: self.ann) } }
                let question = await rig.question()
                #expect(question.subject == .email("ann@example.com"))
                #expect(question.reason == .absent)
                await rig.untilWaiting(20, for: self.ann)
                question.answer(TokenRig.token("one"))
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(tokens == Array(repeating: TokenRig.token("one"), count: 20))
            #expect(rig.count == 1)
        }
    }

    @Test func aCancelledCallerIsAnsweredAtOnceAndTheOthersLater() async throws {
        try await TokenRig().run { rig async throws in
            let first = Task { try await rig.manager.token(for: self.ann) }
            let second = Task { try await rig.manager.token(for: self.ann) }
            let question = await rig.question()
            await rig.untilWaiting(2, for: self.ann)
            first.cancel()
            #expect(await code(of: first) == .cancelled)
            question.answer(TokenRig.token("one"))
            #expect(try await second.value == TokenRig.token("one"))
        }
    }

    @Test func theAnswerIsKeptWhenEverybodyWhoAskedHasGone() async throws {
        try await TokenRig().run { rig async throws in
            let caller = Task { try await rig.manager.token(for: self.ann) }
            let question = await rig.question()
            caller.cancel()
            #expect(await code(of: caller) == .cancelled)
            let next = Task { try await rig.manager.token(for: self.ann) }
            await rig.untilWaiting(1, for: self.ann)
            question.answer(TokenRig.token("one"))
            #expect(try await next.value == TokenRig.token("one"))
            #expect(rig.count == 1)
        }
    }

    @Test func aTokenIsReplacedAMinuteBeforeItsEnd() async throws {
        try await TokenRig().run { rig async throws in
            try await self.fetch("one", rig)
            await rig.clock.untilNextDeadline(is: .seconds(3540))
            rig.clock.advance(by: .seconds(3540))
            let question = await rig.question()
            #expect(question.reason == .expiring)
            let caller = Task { try await rig.manager.token(for: self.ann) }
            await rig.untilWaiting(1, for: self.ann)
            question.answer(TokenRig.token("two", lives: 7200))
            #expect(try await caller.value == TokenRig.token("two", lives: 7200))
            #expect(rig.told == [])
        }
    }

    @Test(arguments: [-10, 0, 59] as [Int64])
    func aRestoredTokenThatIsOverOrNearlySoIsReplacedBeforeItIsUsed(life: Int64) async throws {
        try await TokenRig().run { rig async throws in
            try await rig.manager.set(TokenRig.token("restored", lives: life), for: self.ann)
            let caller = Task { try await rig.manager.token(for: self.ann) }
            let question = await rig.question()
            #expect(question.reason == .expiring)
            question.answer(TokenRig.token("one"))
            #expect(try await caller.value == TokenRig.token("one"))
        }
    }

    @Test func aTokenGivenByHandAnswersThoseWhoWaitAndTheProviderIsNotHeard() async throws {
        try await TokenRig().run { rig async throws in
            let caller = Task { try await rig.manager.token(for: self.ann) }
            let question = await rig.question()
            await rig.untilWaiting(1, for: self.ann)
            try await rig.manager.set(TokenRig.token("given"), for: self.ann)
            #expect(try await caller.value == TokenRig.token("given"))
            question.answer(TokenRig.token("late"))
            #expect(try await rig.manager.token(for: self.ann) == TokenRig.token("given"))
            #expect(rig.count == 1)
        }
    }

    @Test func aRefusedTokenIsReplacedOnceForAllRequestsThatBoreIt() async throws {
        try await TokenRig().run { rig async throws in
            let one = try await self.fetch("one", rig)
            let callers = (0..<3).map { _ in
                Task { try await rig.manager.refused(one, .signatureInvalid, for: self.ann) }
            }
            let question = await rig.question()
            #expect(question.reason == .rejected)
            await rig.untilWaiting(3, for: self.ann)
            question.answer(TokenRig.token("two"))
            for caller in callers { #expect(try await caller.value == TokenRig.token("two")) }
            #expect(rig.count == 2)
            #expect(rig.told == [.signatureInvalid])
        }
    }

    @Test func aLateRefusalOfAnOlderTokenAsksForNothing() async throws {
        try await TokenRig().run { rig async throws in
            let one = try await self.fetch("one", rig)
            let caller = Task { try await rig.manager.refused(one, .expired, for: self.ann) }
            await rig.question().answer(TokenRig.token("two"))
            _ = try await caller.value
            #expect(try await rig.manager.refused(one, .expired, for: self.ann) == TokenRig.token("two"))
            #expect(rig.count == 2)
            #expect(rig.told == [.expired])
        }
    }

    @Test func aLogoutRefusesThoseWhoWaitAndTheLateAnswerIsNotTaken() async throws {
        try await TokenRig().run { rig async throws in
            let caller = Task { try await rig.manager.token(for: self.ann) }
            let late = await rig.question()
            await rig.untilWaiting(1, for: self.ann)
            await rig.manager.reset()
            #expect(await code(of: caller) == .tokenUnavailable)
            let next = Task { try await rig.manager.token(for: self.ann) }
            let question = await rig.question()
            late.answer(TokenRig.token("late"))
            await rig.untilWaiting(1, for: self.ann)
            question.answer(TokenRig.token("one"))
            #expect(try await next.value == TokenRig.token("one"))
        }
    }

    @Test func eachUserGetsATokenOfTheirOwnWhoeverIsAnsweredFirst() async throws {
        try await TokenRig().run { rig async throws in
            let ann = Task { try await rig.manager.token(for: self.ann) }
            let forAnn = await rig.question()
            await rig.untilWaiting(1, for: self.ann)
            let bob = Task { try await rig.manager.token(for: self.bob) }
            let forBob = await rig.question()
            #expect(forBob.subject == .userID("bob"))
            await rig.untilWaiting(1, for: self.bob)
            forAnn.answer(TokenRig.token("ann"))
            #expect(try await ann.value == TokenRig.token("ann"))
            forBob.answer(TokenRig.token("bob"))
            #expect(try await bob.value == TokenRig.token("bob"))
        }
    }

    @Test func aUserWhoLeftIsNotRefreshedAheadOfTimeAndTheirLateAnswerIsNotTaken() async throws {
        try await TokenRig().run { rig async throws in
            let ann = Task { try await rig.manager.token(for: self.ann) }
            let late = await rig.question()
            ann.cancel()
            #expect(await code(of: ann) == .cancelled)
            let bob = Task { try await rig.manager.token(for: self.bob) }
            await rig.question().answer(TokenRig.token("bob"))
            _ = try await bob.value
            late.answer(TokenRig.token("late"))
            #expect(await rig.manager.handlers[self.ann]?.machine.state == .empty)
            await rig.clock.untilNextDeadline(is: .seconds(3540))
            #expect(rig.clock.sleepers == 1)
        }
    }

    @Test func fewUsersAreRemembered() async throws {
        try await TokenRig().run { rig async throws in
            for number in 0..<10 {
                let user = IterableIdentity.userID("\(number)")
                let caller = Task { try await rig.manager.token(for: user) }
                await rig.question().answer(TokenRig.token("\(number)"))
                _ = try await caller.value
            }
            #expect(await rig.manager.handlers.count == 2)
        }
    }

    @discardableResult
    private func fetch(_ name: String, _ rig: TokenRig) async throws -> String {
        let caller = Task { try await rig.manager.token(for: self.ann) }
        await rig.question().answer(TokenRig.token(name))
        return try #require(await caller.value)
    }
}

/// How a call failed; nil when it did not.
func code(of task: Task<String?, any Error>) async -> SignetError.Code? {
    switch await task.result {
    case .success: nil
    case .failure(let error): (error as? SignetError)?.code
    }
}
