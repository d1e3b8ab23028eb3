// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel
import SignetTestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// Numbers of a replica, which come and go.
@Suite struct InstallationNumbersTests {
    private let folder: TemporaryFolder
    private let store: StateStore
    private let syncs = Locked(0)
    private let wakes = Locked(0)
    private let stamp = UUID.random()

    init() throws {
        self.folder = try TemporaryFolder()
        self.store = StateStore(try StateLog(directory: self.folder.path))
    }

    /// The numbers of a process.
    private func numbers() throws -> InstallationNumbers {
        let (syncs, wakes) = (self.syncs, self.wakes)
        return try InstallationNumbers(
            ofReplica: self.store,
            sync: { syncs.withLock { $0 += 1 } },
            wake: { wakes.withLock { $0 += 1 } }
        )
    }

    private func forgetIdle(_ numbers: InstallationNumbers) throws {
        for idle in numbers.takeIdle(besides: []) { try numbers.forget(idle) }
    }

    private var records: Int {
        get throws { try self.store.keys(withPrefix: StateKey.numberedInstallations).count }
    }

    @Test func aNumberInUseIsNotForgotten() throws {
        let numbers = try self.numbers()
        var leases = [try numbers.lease("a", stamp: self.stamp), try numbers.lease("a", stamp: self.stamp)]
        #expect(leases[0].number == leases[1].number)
        leases.removeLast()
        try self.forgetIdle(numbers)
        #expect(numbers.number(of: "a") == leases[0].number)
        #expect(try self.records == 1)
        leases = []
        try self.forgetIdle(numbers)
        #expect(numbers.number(of: "a") == nil)
        #expect(numbers.knownCount == 0)
        #expect(try self.records == 0)
    }

    @Test func whatWasUsedAgainMeanwhileIsNotForgotten() throws {
        let numbers = try self.numbers()
        let number = try numbers.lease("a", stamp: self.stamp).number
        let idle = numbers.takeIdle(besides: [])
        #expect(idle.map(\.number) == [number])
        // It has logged since, and the queue has not seen that.
        #expect(numbers.leaseKnown("a")?.number == number)
        for one in idle { try numbers.forget(one) }
        #expect(numbers.number(of: "a") == number)
        try self.forgetIdle(numbers)
        #expect(numbers.number(of: "a") == nil)
    }

    @Test func aForgottenNumberIsNotGivenAgainEvenAfterARestart() throws {
        var given: Set<UInt32> = []
        for _ in 0..<3 {
            let numbers = try self.numbers()
            for round in 0..<4 {
                #expect(given.insert(try numbers.lease("a", stamp: self.stamp).number).inserted, "round \(round)")
                try self.forgetIdle(numbers)
            }
        }
        #expect(self.syncs.withLock { $0 } == 3, "once for each reservation")
    }

    @Test func afterFourBillionTheyBeginAgainAndPassOverThoseInUse() throws {
        try self.store.put(StoredNumber(UInt64(UInt32.max - 1000)).encoded(), for: StateKey.numbers)
        for number in [1, 2, 4] as [UInt32] {
            try self.store.put(NumberRecord("old", stamp: nil).encoded(), for: StateKey.number(number))
        }
        let numbers = try self.numbers()
        let leases = try ["a", "b"].map { try numbers.lease($0, stamp: self.stamp) }
        #expect(leases.map(\.number) == [3, 5])
        #expect(try numbers.installation(2) == "old")
        let next = try self.numbers().lease("c", stamp: self.stamp).number
        #expect(next > 60_000, "a restart begins after the reservation")
    }

    @Test func aRowMadeAnewGetsANumberOfItsOwn() throws {
        let numbers = try self.numbers()
        let old = try numbers.lease("a", stamp: self.stamp)
        let new = try numbers.lease("a", stamp: .random())
        #expect(old.number != new.number)
        #expect(numbers.number(of: "a") == new.number)
        #expect(numbers.stamp(of: old.number) == self.stamp)
        #expect(numbers.stamp(of: new.number) == new.stamp)
        let again = try self.numbers()
        #expect(again.stamp(of: old.number) == self.stamp)
        #expect(again.number(of: "a") == new.number)
    }

    @Test func theNumberOfARowThatWasNotReadLearnsItsStamp() throws {
        let numbers = try self.numbers()
        let unread = try numbers.lease("a", stamp: nil)
        #expect(numbers.stamp(of: unread.number) == nil)
        #expect(try numbers.lease("a", stamp: self.stamp).number == unread.number)
        #expect(numbers.stamp(of: unread.number) == self.stamp)
        #expect(try self.numbers().stamp(of: unread.number) == self.stamp)
    }

    @Test func aNumberOfARowThatIsGoneIsNotUsedWhereTheNextIsNotMade() throws {
        let numbers = try self.numbers()
        let old = try numbers.lease("a", stamp: self.stamp)
        let new = try numbers.lease("a", stamp: nil, isMissing: true)
        #expect(new.number != old.number)
        #expect(new.stamp == nil)
        #expect(try numbers.lease("a", stamp: nil, isMissing: true).number == new.number)
        let stamp = UUID.random()
        #expect(try numbers.lease("a", stamp: stamp).number == new.number)
        #expect(numbers.stamp(of: new.number) == stamp)
        #expect(numbers.stamp(of: old.number) == self.stamp)
    }

    @Test func theNextProcessKnowsTheNumbersAndForgetsThoseWithoutEvents() throws {
        let lease = try self.numbers().lease("a", stamp: self.stamp)
        // Of a process without a shared store.
        try self.store.put(Array("b".utf8), for: StateKey.number(lease.number + 1))
        let numbers = try self.numbers()
        #expect(numbers.number(of: "a") == lease.number)
        #expect(numbers.number(of: "b") == lease.number + 1)
        #expect(try numbers.installation(lease.number + 1) == "b")
        try self.forgetIdle(numbers)
        #expect(numbers.knownCount == 0)
        #expect(try self.records == 0)
    }

    @Test func manyIdleNumbersWakeTheQueue() throws {
        let numbers = try self.numbers()
        for number in 0..<1023 { _ = try numbers.lease(InstallationID("\(number)"), stamp: self.stamp) }
        numbers.wakeIfMany()
        #expect(self.wakes.withLock { $0 } == 0)
        _ = try numbers.lease("one more", stamp: self.stamp)
        numbers.wakeIfMany()
        #expect(self.wakes.withLock { $0 } == 1)
        #expect(numbers.takeIdle(besides: []).count == 1024)
        numbers.wakeIfMany()
        #expect(self.wakes.withLock { $0 } == 1)
    }

    @Test func aSingleIdleNumberWakesTheQueueWhenItIsAskedFor() throws {
        let numbers = try self.numbers()
        let kept = try numbers.lease("kept", stamp: self.stamp)
        numbers.wakeIfAny()
        #expect(self.wakes.withLock { $0 } == 0)
        _ = try numbers.lease("gone", stamp: self.stamp)
        numbers.wakeIfAny()
        #expect(self.wakes.withLock { $0 } == 1)
        #expect(numbers.number(of: "kept") == kept.number)
    }

    @Test func theBreadcrumbsOfForgottenNumbersAreSwept() throws {
        let numbers = try self.numbers()
        let kept = try numbers.lease("kept", stamp: self.stamp)
        let gone = try numbers.lease("gone", stamp: self.stamp).number
        for number in [kept.number, gone] { try self.store.put([1], for: StateKey.breadcrumbs(number, nil)) }
        try self.forgetIdle(numbers)
        try numbers.sweepBreadcrumbs()
        #expect(self.store.contains(StateKey.breadcrumbs(kept.number, nil)))
        #expect(!self.store.contains(StateKey.breadcrumbs(gone, nil)))
    }

    // MARK: - Reserving ahead

    /// The work of a thread that does nothing until it is told to.
    private final class LaterWork: Sendable {
        private let works = Locked<[@Sendable () -> Void]>([])

        var count: Int { self.works.withLock { $0.count } }

        func take(_ work: @escaping @Sendable () -> Void) {
            self.works.withLock { $0.append(work) }
        }

        func perform() {
            let works = self.works.withLock { works in
                defer { works = [] }
                return works
            }
            for work in works { work() }
        }
    }

    /// A directory of one process with its flushes counted.
    private func counted(_ later: LaterWork, _ body: (StateStore, InstallationNumbers) throws -> Void) throws -> Int {
        let folder = try TemporaryFolder()
        let flushes = Locked(0)
        var options = StateLog.Options()
        options.disk = Disk { call, _ in
            if call == .sync { flushes.withLock { $0 += 1 } }
            return nil
        }
        let store = StateStore(try StateLog(directory: folder.path, options: options))
        let before = flushes.withLock { $0 }
        try body(store, try InstallationNumbers(store: store, aside: { later.take($0) }))
        return flushes.withLock { $0 } - before
    }

    /// Assigns a range of numbers, which must be the next ones.
    private func assign(_ expected: ClosedRange<UInt32>, from numbers: InstallationNumbers) throws {
        for number in expected {
            let assigned = try numbers.assign(to: "v")
            #expect(assigned == number)
        }
    }

    @Test func theNextBlockIsReservedAsSoonAsOneIsBegun() throws {
        let later = LaterWork()
        let ofFirst = try self.counted(LaterWork()) { _, numbers in try self.assign(1...1, from: numbers) }
        let flushes = try self.counted(later) { _, numbers in
            try self.assign(1...1, from: numbers)
            #expect(later.count == 1 && !numbers.isReservedAhead)
            later.perform()
            #expect(later.count == 0 && numbers.isReservedAhead)
            try self.assign(2...2048, from: numbers)
            // The second block was begun.
            #expect(later.count == 1 && !numbers.isReservedAhead)
        }
        // That of the thread; the calls beyond the first one waited for none.
        #expect(flushes == 2 * ofFirst)
    }

    @Test func theFirstCallNeedsNoFlushIfTheFirstBlockIsReserved() throws {
        let ofBlock = try self.counted(LaterWork()) { _, numbers in
            numbers.reserveFirst()
            #expect(numbers.isReservedAhead)
        }
        let flushes = try self.counted(LaterWork()) { _, numbers in
            numbers.reserveFirst()
            try self.assign(1...1024, from: numbers)
        }
        #expect(ofBlock > 0 && flushes == ofBlock)
    }

    @Test func aCallThatIsFasterThanTheThreadReservesItself() throws {
        let later = LaterWork()
        _ = try self.counted(later) { store, numbers in
            try self.assign(1...1025, from: numbers)
            // Late: the block that it was to reserve is in use.
            later.perform()
            try self.assign(1026...2100, from: numbers)
            // Another process begins behind all that this one may have given.
            try self.assign(3073...3073, from: try InstallationNumbers(store: store))
        }
    }

    @Test func aRefusedReservationIsMadeByTheCallThatNeedsIt() throws {
        let isBroken = Locked(false)
        let folder = try TemporaryFolder()
        var options = StateLog.Options()
        options.disk = Disk { call, _ in call == .write && isBroken.withLock { $0 } ? .failure(28) : nil }
        let store = StateStore(try StateLog(directory: folder.path, options: options))
        let later = LaterWork()
        let numbers = try InstallationNumbers(store: store, aside: { later.take($0) })
        try self.assign(1...512, from: numbers)
        isBroken.withLock { $0 = true }
        later.perform()
        isBroken.withLock { $0 = false }
        try self.assign(513...1100, from: numbers)
    }
}
