// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import SignetWire
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
        #expect(events.names().isEmpty)
        for (name, seconds) in [("late", 5), ("b", 1), ("a", 1)] {
            _ = events.begin(.screen(name), named: name, at: .at(seconds))
        }
        #expect(events.names() == ["a", "b", "late"])
        // It begins anew, and is the youngest then.
        _ = events.begin(.screen("b"), named: "b", at: .at(9))
        _ = events.end("a", at: .at(9))
        #expect(events.names() == ["late", "b"])
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

    /// The length that it gets at its end is one of its attributes.
    @Test func oneThatCouldNotEndDoesNotBegin() async throws {
        func event(_ count: Int, _ more: Attributes = [:]) -> Event {
            var attributes = more
            for number in 0..<count { attributes["k\(number)"] = .integer(Int64(number)) }
            return .custom("full", attributes: attributes)
        }
        #expect(throws: SignetError.self) { try TimedEvents.name(of: event(100)) }
        #expect(try TimedEvents.name(of: event(99)) == "full")
        #expect(try TimedEvents.name(of: event(99, ["EventLength": 5])) == "full")
        // In bytes, too: as long as it may be without its length.
        var long = Event.custom("long")
        let text = String(repeating: "x", count: 4000)
        for number in 0..<25 { long.attributes["k\(number)"] = .string(text) }
        var room = CheckedEvent.maximumSize - CheckedEvent.size(EventBody.details(of: long).json.count) - 20
        room = max(0, min(room, 4000))
        long.attributes["rest"] = .string(String(repeating: "x", count: room))
        _ = try CheckedEvent(long)
        #expect(throws: SignetError.self) { try CheckedEvent(TimedEvents.longest(long)) }
    }

    @Test func oneOfAnotherUserDoesNotEndAndIsGone() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let visitor = try await signet.runtime.open("v")
            _ = try await visitor.initialIdentifyResult()
            try visitor.beginTimedEvent(.custom("sign-up"))
            _ = try await visitor.login([.customerID: "a"])
            // The guest has become the customer.
            try visitor.endTimedEvent("sign-up")
            try visitor.beginTimedEvent(.custom("checkout", attributes: ["card": "a's"]))
            _ = try await visitor.logout()
            let b = try await visitor.login([.customerID: "b"]).user.mpid
            #expect(visitor.timedEventNames.isEmpty)
            let error = #expect(throws: SignetError.self) { try visitor.endTimedEvent("checkout") }
            #expect(error?.code == .invalidArgument)
            try visitor.beginTimedEvent(.custom("checkout"))
            try visitor.endTimedEvent("checkout")
            try await signet.runtime.upload()
            let events = signet.emulator.events(of: b).filter { $0.name == "checkout" }
            #expect(events.count == 1)
            #expect(events.first?.data["custom_attributes"]?["card"] == nil)
        }
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
