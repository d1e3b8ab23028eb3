// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import SignetTestSupport
import Testing

@testable import SignetWire

@Suite struct EventBodyShortTests {
    @Test func theShortWayAndTheLongWayAreTheSameBytes() throws {
        var generator = SeededGenerator(defaultSeed: 0x5167_0001)
        print("SIGNET_SEED=\(generator.seed)")
        var short = 0
        for _ in 0..<5000 {
            let event = RandomEvent.make(using: &generator)
            let long = EventBody.longDetails(of: event)
            if let details = EventBody.shortDetails(of: event) {
                short += 1
                #expect(details == long, "\(event)")
            }
            #expect(EventBody.details(of: event) == long)
        }
        // Both ways were gone often.
        #expect((1000..<4500).contains(short))
    }

    @Test func whatCanGoTheShortWayDoes() {
        var event = Event.custom("n", attributes: ["a": "x", "b": 1, "c": 0.25, "d": true, "e": .null])
        #expect(EventBody.shortDetails(of: event) != nil)
        #expect(EventBody.shortDetails(of: .screen("\u{1F3C1}é")) != nil)
        event.beginsSession = false
        event.isUploaded = false
        #expect(EventBody.shortDetails(of: event) != nil)
        event.category = "c"
        #expect(EventBody.shortDetails(of: event) == nil)
    }

    @Test(arguments: ["\"", "\\", "\n", "\u{0}", "0123456\u{1F}", "01234567890123456789\t"])
    func aFewEscapesGoTheShortWayAndManyTheLongOne(_ text: String) {
        let many = String(repeating: text, count: 49)
        for (text, isShort) in [(text, true), (many, false)] {
            let events: [Event] = [
                .custom(text), .screen(text), .screen("s", attributes: [text: 1]),
                .screen("s", attributes: ["k": .string(text)]),
            ]
            for event in events {
                let details = EventBody.shortDetails(of: event)
                #expect((details != nil) == isShort)
                #expect(details == nil || details == EventBody.longDetails(of: event))
            }
        }
    }

    @Test func everyEscapeIsWrittenTheSameBothWays() {
        for byte in UInt8(0)...0x7F {
            let text = "ab" + String(UnicodeScalar(byte)) + "cdefghijklmnop"
            let event = Event.screen(text, attributes: [text: .string(text)])
            #expect(EventBody.shortDetails(of: event) == EventBody.longDetails(of: event))
        }
    }

    @Test func theLongestNumbersHaveRoom() {
        let event = Event.custom(
            "n",
            attributes: [
                "a": .integer(.min), "b": .double(-.leastNormalMagnitude), "c": .double(-1.2345678901234567e-300),
                "d": .double(.greatestFiniteMagnitude), "e": .bool(false), "f": .integer(.max),
            ]
        )
        #expect(EventBody.shortDetails(of: event) == EventBody.longDetails(of: event))
    }

    @Test func headAndDetailsAreTheEventForEveryKind() throws {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: EventHead.maximumCount, alignment: 1)
        defer { room.deallocate() }
        let session = SessionMembers(Samples.session)
        for (name, event) in try SampleEvents.all() {
            let details = EventBody.details(of: event)
            let count = EventHead.write(
                details.kind,
                milliseconds: Samples.milliseconds,
                messageID: Samples.uuid(9),
                session: session,
                to: room
            )
            let bytes = Array(room[..<count]) + details.json
            #expect(bytes == EventBody.encode(event, stamp: Samples.stamp), "\(name)")
        }
    }
}
