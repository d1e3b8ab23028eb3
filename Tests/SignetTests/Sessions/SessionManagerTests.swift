// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetRuntimeTestSupport
import SignetTesting
import Testing

@testable import Signet

@Suite struct SessionManagerTests {
    /// Ends when it is looked at, or names a later moment first.
    private final class Holder: SessionHolder {
        private let moves: Locked<[Duration]>
        private let looks: @Sendable () -> Void

        init(moves: [Duration] = [], looks: @escaping @Sendable () -> Void) {
            self.moves = Locked(moves)
            self.looks = looks
        }

        func timeOutSession(_ hasEnded: inout Bool) -> Duration? {
            self.looks()
            let next = self.moves.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if next == nil { hasEnded = true }
            return next
        }
    }

    private let clock = ManualClock()

    @Test func holdersAreLookedAtInTheOrderOfTheirDeadlines() async {
        let manager = SessionManager(time: .manual(self.clock)) {}
        let (looks, continuation) = AsyncStream<Int>.makeStream()
        for index in [3, 1, 2, 0] {
            manager.watch(Holder { continuation.yield(index) }, until: .seconds(10 + index))
        }
        let run = Task { await manager.run() }
        await self.clock.untilNextDeadline(is: .seconds(10))
        self.clock.advance(by: .seconds(20))
        var seen: [Int] = []
        for await index in looks {
            seen.append(index)
            if seen.count == 4 { break }
        }
        #expect(seen == [0, 1, 2, 3])
        run.cancel()
        await run.value
    }

    /// The queue of events is woken once for many ends.
    @Test func itTellsOfEndsAfterEachPortionOfChecks() async {
        let (portions, continuation) = AsyncStream<Int>.makeStream()
        let looks = Locked(0)
        let manager = SessionManager(time: .manual(self.clock)) { continuation.yield(looks.withLock { $0 }) }
        for _ in 0..<600 { manager.watch(Holder { looks.withLock { $0 += 1 } }, until: .seconds(10)) }
        let run = Task { await manager.run() }
        await self.clock.untilNextDeadline(is: .seconds(10))
        self.clock.advance(by: .seconds(20))
        var seen: [Int] = []
        for await count in portions {
            seen.append(count)
            if seen.count == 3 { break }
        }
        #expect(seen == [256, 512, 600])
        run.cancel()
        await run.value
    }

    @Test func aReviewTellsOfEndsTooAndChecksWithoutAnEndTellNothing() async {
        let (portions, continuation) = AsyncStream<Int>.makeStream()
        let looks = Locked(0)
        let manager = SessionManager(time: .manual(self.clock)) { continuation.yield(looks.withLock { $0 }) }
        // Each has moved on once: the first look ends none.
        for _ in 0..<300 {
            manager.watch(Holder(moves: [.seconds(50)]) { looks.withLock { $0 += 1 } }, until: .seconds(10))
        }
        let run = Task { await manager.run() }
        await self.clock.untilNextDeadline(is: .seconds(10))
        self.clock.advance(by: .seconds(20))
        await self.clock.untilNextDeadline(is: .seconds(50))
        manager.review()
        var seen: [Int] = []
        for await count in portions {
            seen.append(count)
            if seen.count == 2 { break }
        }
        #expect(seen == [556, 600])
        run.cancel()
        await run.value
    }

    @Test func aDeadlineThatHasMovedOnIsLookedAtAgain() async {
        let manager = SessionManager(time: .manual(self.clock)) {}
        let (looks, continuation) = AsyncStream<Duration>.makeStream()
        let clock = self.clock
        let holder = Holder(moves: [.seconds(25), .seconds(40)]) { continuation.yield(clock.now.offset) }
        manager.watch(holder, until: .seconds(10))
        let run = Task { await manager.run() }
        var iterator = looks.makeAsyncIterator()
        for expected in [Duration.seconds(10), .seconds(25), .seconds(40)] {
            await self.clock.untilNextDeadline(is: expected)
            self.clock.advance(to: ManualClock.Instant(offset: expected))
            #expect(await iterator.next() == expected)
        }
        run.cancel()
        await run.value
    }

    @Test func aHolderIsLetGoWhenItsSessionHasEndedAndWhenTheRunEnds() async {
        let manager = SessionManager(time: .manual(self.clock)) {}
        let (looks, continuation) = AsyncStream<Void>.makeStream()
        weak var ended: Holder?
        weak var waiting: Holder?
        weak var unseen: Holder?
        do {
            let first = Holder { continuation.yield(()) }
            let second = Holder {}
            manager.watch(first, until: .seconds(1))
            manager.watch(second, until: .seconds(100))
            (ended, waiting) = (first, second)
        }
        let run = Task { await manager.run() }
        await self.clock.untilNextDeadline(is: .seconds(1))
        self.clock.advance(by: .seconds(1))
        for await _ in looks { break }
        await self.clock.untilNextDeadline(is: .seconds(100))
        #expect(ended == nil)
        #expect(waiting != nil)
        run.cancel()
        await run.value
        #expect(waiting == nil)
        do {
            let third = Holder {}
            manager.watch(third, until: .seconds(200))
            unseen = third
        }
        #expect(unseen != nil)
        manager.close()
        #expect(unseen == nil)
        do {
            let fourth = Holder {}
            manager.watch(fourth, until: .seconds(200))
            unseen = fourth
        }
        #expect(unseen == nil)
    }

    @Test func itWakesUpOnceASecondHoweverManySessionsEnd() async {
        let manager = SessionManager(time: .manual(self.clock)) {}
        let looks = Locked<[Duration]>([])
        let (updates, continuation) = AsyncStream<Void>.makeStream()
        let clock = self.clock
        for index in 0..<1000 {
            let holder = Holder {
                looks.withLock { $0.append(clock.now.offset) }
                continuation.yield(())
            }
            manager.watch(holder, until: .milliseconds(10_000 + 5 * index))
        }
        let run = Task { await manager.run() }
        var iterator = updates.makeAsyncIterator()
        // 10 s is the first, 14.995 s the last; the clock moves from sleep to sleep.
        var seen = 0
        while seen < 1000 {
            await self.clock.untilSomebodySleeps()
            if let next = self.clock.nextDeadline { self.clock.advance(to: next) }
            let due = 1 + min(999, Int((self.clock.now.offset - .seconds(10)) / .milliseconds(5)))
            while seen < due {
                await iterator.next()
                seen += 1
            }
        }
        let moments = looks.withLock { $0 }
        #expect(moments == moments.sorted())
        let distinct = Set(moments).sorted()
        #expect(distinct.count == 6)
        for (earlier, later) in zip(distinct, distinct.dropFirst()) { #expect(later - earlier >= .seconds(1)) }
        run.cancel()
        await run.value
    }

    @Test func aNewDeadlineThatComesSoonerWakesItUp() async {
        let manager = SessionManager(time: .manual(self.clock)) {}
        let (looks, continuation) = AsyncStream<Int>.makeStream()
        manager.watch(Holder { continuation.yield(1) }, until: .seconds(100))
        let run = Task { await manager.run() }
        await self.clock.untilNextDeadline(is: .seconds(100))
        manager.watch(Holder { continuation.yield(2) }, until: .seconds(10))
        await self.clock.untilNextDeadline(is: .seconds(10))
        self.clock.advance(by: .seconds(10))
        var iterator = looks.makeAsyncIterator()
        #expect(await iterator.next() == 2)
        run.cancel()
        await run.value
    }

    @Test func aShorterTimeoutIsLookedAtAtOnce() async {
        let manager = SessionManager(time: .manual(self.clock)) {}
        let (looks, continuation) = AsyncStream<Void>.makeStream()
        manager.watch(Holder(moves: [.seconds(20)]) { continuation.yield(()) }, until: .seconds(100))
        let run = Task { await manager.run() }
        await self.clock.untilNextDeadline(is: .seconds(100))
        manager.review()
        var iterator = looks.makeAsyncIterator()
        await iterator.next()
        await self.clock.untilNextDeadline(is: .seconds(20))
        run.cancel()
        await run.value
    }
}
