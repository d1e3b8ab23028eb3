// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

/// Which opens the store is asked for.
@Suite struct OpenAdmissionTests {
    private var admission = OpenAdmission()

    private mutating func enter(_ count: Int, _ entry: OpenAdmission.Entry = .open, at now: Duration) -> Int {
        var admitted = 0
        for _ in 0..<count where self.admission.enter(entry, at: now) == .admitted { admitted += 1 }
        return admitted
    }

    private mutating func begin(_ count: Int, after time: Duration = .milliseconds(10), at now: Duration) -> Int {
        var admitted = 0
        for _ in 0..<count where self.admission.beginChange(after: time, at: now) != .refused { admitted += 1 }
        return admitted
    }

    private mutating func read(_ count: Int, at now: Duration) {
        self.admission.noteReading(.init(callers: count, at: now, opens: count, time: .milliseconds(5) * count))
    }

    /// A crowd that has been there: a change follows each open, or each so many.
    private mutating func pass(_ opens: Int, changes: Int, at now: Duration) {
        #expect(self.enter(opens, at: now) == opens)
        self.read(opens, at: now)
        #expect(self.begin(changes, at: now) == changes)
        for _ in 0..<changes { self.admission.endChange(.answered, after: .milliseconds(10), at: now) }
        for _ in 0..<opens { self.admission.leave() }
    }

    @Test mutating func aStoreOfWhichNothingIsKnownIsAskedForAsManyOpensAsAreReadInTime() {
        #expect(self.enter(10_000, at: .seconds(1)) == 4_096)
        for _ in 0..<4_096 { self.admission.leave() }
        #expect(self.enter(1, at: .seconds(1)) == 1, "they have left")
    }

    @Test mutating func whereEachOpenIsFollowedByAChangeAsManyOpensAreBegunAsChangesFit() {
        for round in 0..<40 { self.pass(100, changes: 100, at: .milliseconds(100 * round)) }
        let admitted = self.enter(10_000, at: .milliseconds(3_950))
        #expect((505...540).contains(admitted), "\(admitted)")
    }

    @Test mutating func aStoreThatHasAnsweredManyIsAskedForAsMany() {
        for round in 0..<40 { self.pass(500, changes: 500, at: .milliseconds(100 * round)) }
        let admitted = self.enter(10_000, at: .milliseconds(4_000))
        #expect((1_470...1_570).contains(admitted), "5,000 a second for 0.3 s, not \(admitted)")
    }

    @Test mutating func aCrowdOfKnownVisitorsIsNotRefusedForAFewNewOnes() {
        for round in 0..<10 { self.pass(200, changes: 20, at: .milliseconds(100 * round)) }
        let changes = self.begin(2_000, at: .milliseconds(950))
        #expect((1_680...1_700).contains(changes), "changes are limited by themselves, not \(changes)")
        #expect(self.enter(4_000, at: .milliseconds(950)) == 4_000)
    }

    @Test mutating func aReadingByItselfDoesNotWaitForChanges() {
        for round in 0..<10 { self.pass(100, changes: 100, at: .milliseconds(100 * round)) }
        #expect(self.enter(10_000, at: .milliseconds(950)) < 1_000)
        #expect(self.enter(1_000, .reading, at: .milliseconds(950)) == 1_000)
    }

    @Test mutating func whoWaitsAndHasNoPlaceAnyMoreIsInExcess() {
        #expect(self.enter(4_000, at: .zero) == 4_000)
        #expect(self.admission.excess == 0)
        for round in 1...4 {
            self.read(256, at: .milliseconds(20 * round))
            _ = self.begin(256, at: .milliseconds(20 * round))
        }
        #expect(self.admission.excess > 2_000, "the first readings have shown that all are new")
    }

    @Test mutating func anOpenBeginsNoChangeForWhichItHasNoTimeLeftUnlessFewAreUnderWay() {
        #expect(self.begin(1_000, after: .seconds(2), at: .seconds(1)) == 64)
        // 1,707 a second are expected of a store that was not measured.
        let admitted = self.begin(1_000, after: .milliseconds(700), at: .seconds(1)) + 64
        #expect((508...516).contains(admitted), "those of 0.3 s, not \(admitted)")
    }

    @Test mutating func soManyChangesGoAtOnceAndTheOthersWaitForThem() {
        for round in 0..<40 { self.pass(500, changes: 500, at: .milliseconds(100 * round)) }
        let verdicts = (0..<1_000).map { _ in self.admission.beginChange(after: .zero, at: .seconds(4)) }
        #expect(verdicts.count { $0 == .admitted } == 768)
        #expect(verdicts.count { $0 == .waits } == 232)
        #expect(self.admission.resumeChange(after: .zero) == .waits)
        self.admission.endChange(.answered, after: .milliseconds(10), at: .seconds(4))
        #expect(self.admission.resumeChange(after: .seconds(2)) == .refused, "nothing is sent for whoever is refused")
        #expect(self.admission.resumeChange(after: .zero) == .admitted)
        #expect(self.admission.resumeChange(after: .zero) == .waits)
    }

    // MARK: - A store in numbers

    /// A crowd before a store that answers so many readings and changes in a millisecond, in the order in which they come.
    ///
    /// Each visitor is new: the reading of an open is followed by a change. All times are those of the test.
    private struct Crowd {
        var admission = OpenAdmission()
        let readings: Int
        let changes: Int
        var now = Duration.zero
        /// The moments at which opens came whose readings are asked for.
        var reading: [Duration] = []
        /// Those of changes that the store was asked for, and of changes that wait.
        var changing: [Change] = []
        var waiting: [Change] = []
        var opened = 0
        /// The longest time until an open was opened, or refused.
        var slowest = Duration.zero
        var slowestRefusal = Duration.zero
        var refused = 0
        /// The refused who had waited longer than 50 ms.
        var refusedLate = 0

        struct Change {
            let came: Duration
            let begun: Duration
        }

        mutating func come(_ count: Int) {
            for _ in 0..<count {
                if self.admission.enter(.open, at: self.now) == .admitted {
                    self.reading.append(self.now)
                } else {
                    self.refused += 1
                }
            }
        }

        mutating func pass() {
            self.now += .milliseconds(1)
            self.endChanges()
            self.read()
        }

        private mutating func endChanges() {
            for change in self.changing.prefix(self.changes) {
                self.admission.endChange(.answered, after: self.now - change.begun, at: self.now)
                self.admission.leave()
                self.opened += 1
                self.slowest = max(self.slowest, self.now - change.came)
            }
            self.changing.removeFirst(min(self.changes, self.changing.count))
            while let change = self.waiting.first {
                let verdict = self.admission.resumeChange(after: self.now - change.came)
                if verdict == .waits { break }
                self.waiting.removeFirst()
                if verdict == .admitted { self.changing.append(change) } else { self.refuse(change.came) }
            }
            while self.admission.excessChanges > 0, let change = self.waiting.popLast() {
                self.admission.withdrawChange()
                self.refuse(change.came)
            }
        }

        private mutating func read() {
            let read = Array(self.reading.prefix(self.readings))
            self.reading.removeFirst(read.count)
            guard !read.isEmpty else { return }
            let time = read.reduce(Duration.zero) { $0 + (self.now - $1) }
            self.admission.noteReading(.init(callers: read.count, at: self.now, opens: read.count, time: time))
            for came in read {
                let change = Change(came: came, begun: self.now)
                switch self.admission.beginChange(after: self.now - came, at: self.now) {
                case .admitted: self.changing.append(change)
                case .waits: self.waiting.append(change)
                case .refused: self.refuse(came)
                }
            }
            let shed = self.reading.prefix(self.admission.excess)
            self.reading.removeFirst(shed.count)
            for came in shed { self.refuse(came) }
        }

        private mutating func refuse(_ came: Duration) {
            self.admission.leave()
            self.refused += 1
            if self.now - came > .milliseconds(50) { self.refusedLate += 1 }
            self.slowestRefusal = max(self.slowestRefusal, self.now - came)
        }

        mutating func forget() {
            (self.opened, self.refused, self.slowest, self.slowestRefusal) = (0, 0, .zero, .zero)
        }
    }

    @Test(arguments: [1, 2, 5])
    func tenTimesTheCapacityCostsNoGoodputAndIsRefusedAtOnce(changesAMillisecond: Int) {
        var crowd = Crowd(readings: 10 * changesAMillisecond, changes: changesAMillisecond)
        for _ in 0..<1_000 {
            crowd.come(10 * changesAMillisecond)
            crowd.pass()
        }
        crowd.forget()
        for _ in 0..<5_000 {
            crowd.come(10 * changesAMillisecond)
            crowd.pass()
        }
        #expect(crowd.opened == 5_000 * changesAMillisecond, "the store has something to do all the time")
        #expect(crowd.slowest < .seconds(1))
        #expect(crowd.slowestRefusal <= .milliseconds(50))
        #expect(crowd.opened + crowd.refused > 49_000 * changesAMillisecond, "nobody waits without an end")
    }

    @Test(arguments: [1, 2, 5])
    func ofFourThousandAtOnceAsManyAreOpenedAsInTheTimeAtCapacity(changesAMillisecond: Int) {
        var crowd = Crowd(readings: 10 * changesAMillisecond, changes: changesAMillisecond)
        crowd.come(4_000)
        var last = Duration.zero
        while !crowd.reading.isEmpty || !crowd.changing.isEmpty || !crowd.waiting.isEmpty {
            let opened = crowd.opened
            crowd.pass()
            if crowd.opened > opened { last = crowd.now }
        }
        #expect(crowd.opened >= 640)
        #expect(Double(crowd.opened) >= 0.8 * Double(changesAMillisecond) * (last / .milliseconds(1)))
        #expect(crowd.slowest < .seconds(1))
        #expect(crowd.opened + crowd.refused == 4_000)
    }

    @Test func aStoreThatBecomesSlowServesThoseWhomItAdmitsInTime() {
        var crowd = Crowd(readings: 50, changes: 5)
        for _ in 0..<2_000 {
            crowd.come(50)
            crowd.pass()
        }
        var slow = Crowd(admission: crowd.admission, readings: 5, changes: 1, now: crowd.now)
        (slow.reading, slow.changing, slow.waiting) = (crowd.reading, crowd.changing, crowd.waiting)
        for _ in 0..<2_000 {
            slow.come(50)
            slow.pass()
        }
        slow.forget()
        for _ in 0..<2_000 {
            slow.come(50)
            slow.pass()
        }
        #expect(slow.opened >= 1_900)
        #expect(slow.slowest < .seconds(1))
        #expect(slow.slowestRefusal <= .milliseconds(50))
    }

    /// A server on a busy machine stands still for a tenth of a second now and then.
    ///
    /// With the room of 500 ms for changes, and everybody refused for whom no place was left after it, more than one
    /// refusal in a hundred came after its reading.
    @Test func aServerThatStuttersLetsFewInWhomItRefusesLater() {
        var crowd = Crowd(readings: 50, changes: 5)
        var (late, stutters) = (0, 0)
        for round in 0..<200 {
            // 100 ms in seven of nine, and 100 ms of nothing.
            let isStill = round % 9 == 4 || round % 9 == 7
            stutters += isStill ? 1 : 0
            var next = Crowd(
                admission: crowd.admission,
                readings: isStill ? 0 : 50,
                changes: isStill ? 0 : 6,
                now: crowd.now
            )
            (next.reading, next.changing, next.waiting) = (crowd.reading, crowd.changing, crowd.waiting)
            for _ in 0..<100 {
                next.come(50)
                next.pass()
            }
            if round >= 20 { late += next.refusedLate }
            crowd = next
        }
        #expect(stutters > 40)
        #expect(Double(late) < 0.01 * 180 * 5_000, "\(late) refusals came after their reading")
    }

    @Test func knownVisitorsAreServedAtTheRateOfReadings() {
        var admission = OpenAdmission()
        var now = Duration.zero
        var waiting = 0
        var refused = 0
        for _ in 0..<5_000 {
            now += .milliseconds(1)
            for _ in 0..<40 {
                if admission.enter(.open, at: now) == .admitted { waiting += 1 } else { refused += 1 }
            }
            let read = min(waiting, 40)
            admission.noteReading(.init(callers: read, at: now, opens: read, time: .milliseconds(read)))
            for _ in 0..<read { admission.leave() }
            waiting -= read
        }
        #expect(refused == 0)
    }
}
