// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// The driver, with the least service there can be: what Iterable and Infobip get from it.
@Suite(.watched) struct LinkedServiceDriverTests {
    private let folder: TemporaryFolder
    private let jobs = WorkQueue()
    private let clock = ManualClock()
    private let statistics = StatisticsRecorder()
    private let words: WordAdapter
    private let driver: LinkedServiceDriver<WordAdapter>

    init() throws {
        self.folder = try TemporaryFolder()
        let context = LinkedServiceContext(
            store: StateStore(try StateLog(directory: self.folder.path)),
            transport: NoTransport(),
            jobs: self.jobs,
            lifecycle: RuntimeLifecycle(),
            time: .manual(self.clock),
            observer: SilentObserver(),
            statistics: self.statistics,
            jitter: { 0 },
            mode: .server,
            isOptedOut: { _ in false }
        )
        self.words = WordAdapter(context)
        self.driver = LinkedServiceDriver("v", WordMachine(), (), self.words)
    }

    private func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.jobs.run() }
            defer { group.cancelAll() }
            try await body()
        }
    }

    private func add(_ word: String) async throws(SignetError) {
        try await self.driver.perform { ((), $0.add(word)) }
    }

    private func asked(_ count: Int) async {
        await until("request \(count)") { self.words.asked.count == count }
    }

    // MARK: - Decisions

    @Test func aDecisionIsOnDiskAndPublishedBeforeSubscribersHear() async throws {
        try await self.add("a")
        #expect(self.words.disk == ["a"])
        #expect(self.words.told == ["kept a | a"])
    }

    @Test func aDecisionThatTheDiskRefusesHasNotHappened() async throws {
        self.words.disk(isBroken: true)
        await #expect(throws: SignetError.self) { try await self.add("a") }
        #expect(await self.driver.machine.words.isEmpty)
        #expect(self.driver.snapshot.isEmpty)
        #expect(self.words.told.isEmpty)
    }

    @Test func anAnswerStandsEvenIfTheDiskRefusesIt() async throws {
        try await self.run {
            try await self.add("a")
            await self.asked(1)
            self.words.disk(isBroken: true)
            self.words.answer(0)
            await self.driver.untilSettled()
            #expect(await self.driver.machine.words.isEmpty)
            #expect(self.words.told.last == "sent a | ")
            #expect(self.statistics.current.statesNotSaved == 1)
        }
    }

    // MARK: - What came before

    @Test func entriesAndEventsComeBeforeTheCallInTheirOrder() async throws {
        let home = WordHome()
        self.driver.home.set(home)
        let entered = home.change(.identify(email: "a@example.com", customerID: nil))
        let left = home.change(.leave)
        self.words.log("between", after: entered)
        self.words.log("after", after: left)
        try await self.add("call")
        #expect(self.words.disk == ["enter", "between", "leave", "after", "call"])
        #expect(self.words.reviewed == [2])
    }

    @Test func anEntryIsTakenOverOnce() async throws {
        let home = WordHome()
        self.driver.home.set(home)
        _ = home.change(.leave)
        try await self.driver.follow()
        try await self.driver.follow()
        #expect(self.words.disk == ["leave"])
    }

    @Test func aCallThatCannotLearnWhoCameIsRefused() async throws {
        let home = WordHome()
        self.driver.home.set(home)
        _ = home.change(.leave)
        self.words.disk(isBroken: true)
        await #expect(throws: SignetError.self) { try await self.add("call") }
        self.words.disk(isBroken: false)
        try await self.add("call")
        #expect(self.words.disk == ["leave", "call"])
    }

    // MARK: - Work

    @Test func requestsGoOutOneAtATimeAndInOrder() async throws {
        try await self.run {
            for word in ["a", "b"] { try await self.add(word) }
            await self.asked(1)
            #expect(self.words.asked == ["a"])
            self.words.answer(0)
            await self.asked(2)
            self.words.answer(1)
            await self.driver.untilSettled()
            #expect(self.words.asked == ["a", "b"])
            #expect(self.words.disk.isEmpty)
        }
    }

    @Test func afterAFailureItWaits() async throws {
        try await self.run {
            try await self.add("a")
            await self.asked(1)
            self.words.answer(0, .failed(.timedOut(after: .seconds(1))))
            // A pause is as far as it gets.
            await self.driver.untilSettled()
            #expect(self.words.asked.count == 1)
            await self.clock.untilNextDeadline(is: .seconds(5))
            self.clock.advance(by: .seconds(5))
            await self.asked(2)
            self.words.answer(1)
            await self.driver.untilSettled()
            #expect(self.words.disk.isEmpty)
        }
    }

    @Test func whoWaitsDoesNotWaitForARequestThatADecisionTookBack() async throws {
        try await self.run {
            try await self.add("a")
            await self.asked(1)
            try await self.driver.perform { ((), $0.drop()) }
            await self.driver.untilSettled()
            self.words.answer(0)
            try await self.add("b")
            await self.asked(2)
            #expect(await self.driver.machine.words == ["b"])
            self.words.answer(1)
            await self.driver.untilSettled()
        }
    }

    @Test func whatMayNotBeSentWaitsForTheNextCall() async throws {
        try await self.run {
            self.words.hold(true)
            try await self.add("a")
            await self.driver.untilSettled()
            #expect(self.words.asked.isEmpty && self.words.endings == 1)
            self.words.hold(false)
            try await self.driver.follow()
            await self.asked(1)
            self.words.answer(0)
            await self.driver.untilSettled()
        }
    }

    @Test func aDecisionDuringAPauseIsSeenAtOnce() async throws {
        try await self.run {
            try await self.add("a")
            await self.asked(1)
            self.words.answer(0, .failed(.timedOut(after: .seconds(1))))
            await self.clock.untilNextDeadline(is: .seconds(5))
            try await self.driver.perform { ((), $0.drop()) }
            await until("the job ends") { await !self.driver.isWorking }
        }
    }

    @Test func whatFollowsInOtherActorsIsDoneBeforeACallReturnsAndAfterAnAnswer() async throws {
        try await self.run {
            try await self.add("a")
            #expect(self.words.deferred == 1)
            await self.asked(1)
            self.words.answer(0)
            await self.driver.untilSettled()
            await until("the effects of the answer") { self.words.deferred == 2 }
        }
    }

    @Test func aServiceThatFollowsNoLoginsReadsNoOutbox() async throws {
        let home = WordHome()
        self.driver.home.set(home)
        let entered = home.change(.leave)
        self.words.follow(logins: false)
        self.words.log("event", after: entered)
        try await self.add("call")
        #expect(self.words.disk == ["event", "call"])
    }

    // MARK: - Life

    @Test func aRetiredDriverDoesNotStayForAPause() async throws {
        try await self.run {
            try await self.add("a")
            await self.asked(1)
            self.words.answer(0, .failed(.timedOut(after: .seconds(1))))
            await self.clock.untilNextDeadline(is: .seconds(5))
            self.driver.retire()
            await until("the job ends") { await !self.driver.isWorking }
            #expect(self.words.endings == 1)
        }
    }

    @Test func afterTheEndNothingIsWaitedFor() async throws {
        try await self.add("a")
        self.jobs.close()
        await self.driver.stop()
        await self.driver.untilSettled()
        #expect(await !self.driver.isWorking)
    }

    @Test func aRequestAtTheEndOfTheRuntimeIsAskedAgainAtTheNextStart() async throws {
        try await self.run {
            try await self.add("a")
            await self.asked(1)
        }
        #expect(await self.driver.machine.sent == nil)
        #expect(await !self.driver.isWorking)
        #expect(self.words.endings == 1)
        #expect(self.words.disk == ["a"])
    }

    @Test func aRetiredDriverTakesNothingAndAnswersNothing() async throws {
        try await self.run {
            try await self.add("a")
            await self.asked(1)
            self.driver.retire()
            await #expect(throws: SignetError.self) { try await self.add("b") }
            self.words.answer(0)
            await until("the job ends") { await !self.driver.isWorking }
            #expect(self.words.disk == ["a"])
            #expect(self.words.told == ["kept a | a"])
        }
    }

    @Test func theEndAnswersWhoWaits() async throws {
        try await self.run {
            try await self.add("a")
            await self.asked(1)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.driver.untilSettled() }
                await until("a caller waits") { await self.driver.settling.count == 1 }
                await self.driver.stop()
                await group.waitForAll()
            }
        }
    }
}

private struct SilentObserver: SignetObserver {}
