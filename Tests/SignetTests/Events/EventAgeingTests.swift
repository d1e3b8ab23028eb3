// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.Date

@testable import Signet

@Suite(.watched) struct EventAgeingTests {
    private static let limit = Duration.seconds(90 * 86_400)
    private let clock = ManualClock()
    private let shift = Locked<Int64>(0)

    private var time: TimeSource {
        let (clock, shift) = (self.clock, self.shift)
        return TimeSource(clock: clock, milliseconds: { clock.milliseconds + shift.withLock { $0 } })
    }

    @Test func itLooksOnceAnHourAndTellsByTheWallClock() {
        let time = self.time
        var ageing = EventAgeing(time, keeping: Self.limit)
        self.clock.advance(by: .seconds(3599))
        #expect(ageing.cutoff(time) == nil)
        self.clock.advance(by: .seconds(1))
        let cutoff = ageing.cutoff(time)
        #expect(cutoff.map { Int64($0) } == time.milliseconds / 1000 - 90 * 86_400)
        #expect(ageing.cutoff(time) == nil)
    }

    /// As with processes of half an hour: each vouches for the clock of the next.
    @Test func aShortProcessLooksOnceIfAnEarlierOneHasSeenTheClock() {
        let time = self.time
        for (gap, looks) in [(60_000, 1), (6 * 86_400_000, 1), (8 * 86_400_000, 0), (-1000, 0)] as [(Int64, Int)] {
            var ageing = EventAgeing(time, keeping: Self.limit)
            ageing.vouch(time.milliseconds - gap)
            var count = 0
            for _ in 0..<30 {
                self.clock.advance(by: .seconds(60))
                if ageing.cutoff(time) != nil { count += 1 }
            }
            #expect(count == looks, "\(gap)")
        }
    }

    @Test func theAgeIsASetting() throws {
        var limits = SignetConfiguration(apiKey: "k", secret: "s", directory: "/tmp/x")
        limits.events.storage.maximumAge = .seconds(7200)
        let time = self.time
        var ageing = EventAgeing(time, keeping: limits.uploadLimits.maximumAge)
        self.clock.advance(by: .seconds(3600))
        #expect(ageing.cutoff(time).map { Int64($0) } == time.milliseconds / 1000 - 7200)
    }

    @Test(arguments: [-1, 1]) func aClockThatHasJumpedIsNotBelievedForAnHour(sign: Int64) {
        let time = self.time
        var ageing = EventAgeing(time, keeping: Self.limit)
        self.shift.withLock { $0 = sign * 75 * 365 * 86_400_000 }
        self.clock.advance(by: .seconds(3600))
        #expect(ageing.cutoff(time) == nil)
        self.clock.advance(by: .seconds(3600))
        #expect(ageing.cutoff(time) != nil)
        for end in [Int64.min, .max] {
            let wild = TimeSource(clock: self.clock, milliseconds: { end })
            #expect(EventAgeing(wild, keeping: Self.limit).cutoffAtOnce(wild) == nil)
        }
    }

    @Test func theAgeOfTheOldestEventIsExactAndFollowsIt() async throws {
        let folder = try TemporaryFolder()
        let clock = self.clock
        let platform = Emulator(clock: clock, wallClock: { clock.date })
        clock.advance(by: .milliseconds(36_250))
        let signet = try EmulatedSignet(in: folder.path, platform: platform, clock: clock)
        #expect(signet.runtime.statistics.oldestEventAge == nil)
        let visitor = try await signet.runtime.open("v", identify: .none)
        try visitor.log(.custom("old"))
        clock.advance(by: .milliseconds(7_001))
        try visitor.log(.custom("young"))
        // Twice: the second time it is known.
        for _ in 0..<2 { #expect(signet.runtime.statistics.oldestEventAge == .milliseconds(7_001)) }
        #expect(signet.runtime.statistics.oldestEventAges == ["upload": .milliseconds(7_001)])
        let journal = signet.runtime.context.journal
        var delivered: [UInt64] = []
        // The begin of the session and the first event.
        _ = try journal.visit(after: 0, limit: 2) { sequence, _, _ in delivered.append(sequence) }
        try journal.acknowledge(delivered)
        clock.advance(by: .milliseconds(500))
        #expect(signet.runtime.statistics.oldestEventAge == .milliseconds(500))
    }

    /// Only the minute of its logging is on disk.
    @Test func anImportedEventIsAsOldAsTheMinuteOfItsLogging() async throws {
        let folder = try TemporaryFolder()
        let clock = self.clock
        let platform = Emulator(clock: clock, wallClock: { clock.date })
        let signet = try EmulatedSignet(in: folder.path, platform: platform, clock: clock)
        let visitor = try await signet.runtime.open("v", identify: .none)
        var event = Event.custom("imported")
        event.occurredAt = clock.date.addingTimeInterval(-40_000)
        try visitor.log(event)
        clock.advance(by: .seconds(7))
        let age = try #require(signet.runtime.statistics.oldestEventAge)
        #expect(age >= .seconds(7) && age < .seconds(67), "\(age)")
    }

    @Test func whatHasWaitedNinetyDaysIsDroppedAndCountedAndNothingElse() async throws {
        let folder = try TemporaryFolder()
        let observer = RecordingObserver()
        let clock = self.clock
        let platform = Emulator(clock: clock, wallClock: { clock.date })
        let signet = try EmulatedSignet(in: folder.path, platform: platform, clock: clock, observer: observer) {
            $0.sessions.timeout = .seconds(1_000_000_000)
        }
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            for index in 0..<3 { try visitor.log(.custom("old-\(index)")) }
            clock.advance(by: .seconds(60 * 86_400))
            for index in 0..<2 { try visitor.log(.custom("young-\(index)")) }
            await signet.takeIn()
            clock.advance(by: .seconds(31 * 86_400))
            let dropped = await observer.next { note -> Int? in
                if case .dropped(let count, .age) = note { count } else { nil }
            }
            #expect(dropped == 4)
            #expect(signet.runtime.statistics.oldestEventAge.map { $0 < .seconds(32 * 86_400) } == true)
            return try await visitor.login([.customerID: "c"]).user.mpid
        }
        #expect(platform.events(of: mpid).compactMap(\.name) == ["young-0", "young-1"])
        #expect(signet.runtime.statistics.eventsDropped == [.age: 4])
        #expect(signet.runtime.statistics.eventsLost == 0)
    }
}

extension EventAgeing {
    /// What it says when asked without an hour between.
    fileprivate func cutoffAtOnce(_ time: TimeSource) -> UInt32? {
        var copy = self
        return copy.cutoff(time)
    }
}
