// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

@Suite struct TimedEventsTests {
    @Test func anEventEndsWithItsBeginAndItsLength() throws {
        var events = TimedEvents()
        _ = events.begin(.custom("level", attributes: ["n": 1]), named: "level", at: .at(10))
        let ended = events.end("level", at: .at(13))
        let event = try #require(ended).event
        #expect(event.timing == Event.Timing(start: SessionTimestamp.at(10).milliseconds, duration: 3000))
        #expect(event.attributes == ["n": 1])
        let again = events.end("level", at: .at(14))
        #expect(again == nil)
    }

    @Test func oneThatCouldNotBeLoggedGoesOn() throws {
        var events = TimedEvents()
        _ = events.begin(.screen("s"), named: "s", at: .at(10))
        let ended = events.end("s", at: .at(13))
        events.resume("s", try #require(ended).begun)
        let again = events.end("s", at: .at(20))
        #expect(again?.event.timing?.duration == 10_000)
    }

    @Test func theSameNameBeginsAnew() throws {
        var events = TimedEvents()
        _ = events.begin(.screen("s"), named: "s", at: .at(0))
        _ = events.begin(.screen("s"), named: "s", at: .at(60))
        let event = events.end("s", at: .at(61))
        #expect(event?.event.timing?.duration == 1000)
    }

    @Test func theWallClockDoesNotMakeItLonger() {
        var events = TimedEvents()
        _ = events.begin(.screen("s"), named: "s", at: SessionTimestamp(uptime: .seconds(1), milliseconds: 5_000_000))
        let end = events.end("s", at: SessionTimestamp(uptime: .seconds(2), milliseconds: -5_000_000))
        #expect(end?.event.timing == Event.Timing(start: 5_000_000, duration: 1000))
    }

    @Test func thoseUnderWayAreNamedOldestFirst() {
        var events = TimedEvents()
        #expect(events.names.isEmpty)
        for (name, seconds) in [("late", 5), ("b", 1), ("a", 1)] {
            _ = events.begin(.screen(name), named: name, at: .at(seconds))
        }
        #expect(events.names == ["a", "b", "late"])
        // It begins anew, and is the youngest then.
        _ = events.begin(.screen("b"), named: "b", at: .at(9))
        _ = events.end("a", at: .at(9))
        #expect(events.names == ["late", "b"])
    }

    @Test func aHandleNamesThoseOfItsInstallation() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let visitor = try await signet.runtime.open("v", identify: .none)
        try visitor.beginTimedEvent(.custom("level"))
        signet.clock.advance(by: .seconds(1))
        try visitor.beginTimedEvent(.screen("map"))
        #expect(try await signet.runtime.open("v").timedEventNames == ["level", "map"])
        #expect(try await signet.runtime.open("w").timedEventNames.isEmpty)
        try visitor.endTimedEvent("level")
        #expect(visitor.timedEventNames == ["map"])
    }

    @Test func thereIsALimit() {
        var events = TimedEvents()
        let begun = (0..<TimedEvents.limit).map { events.begin(.screen("s"), named: "\($0)", at: .at(0)) }
        #expect(!begun.contains(false))
        let oneMore = events.begin(.screen("s"), named: "one more", at: .at(0))
        let again = events.begin(.screen("s"), named: "7", at: .at(0))
        #expect(!oneMore && again)
    }
}
