// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import event_load

@Suite struct EventTextTests {
    private static func event(_ producer: Int, _ number: Int) -> String {
        withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) { buffer in
            var encoder = HandEncoder(into: buffer)
            let count = encoder.encode(producer: producer, number: number, milliseconds: 1_763_700_000_000)
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }

    private static func texts(in body: String) -> (texts: [EventText], isWellFormed: Bool) {
        var texts: [EventText] = []
        let isWellFormed = Array(body.utf8).withUnsafeBytes { body in
            EventText.each(in: body) { if let text = EventText($0) { texts.append(text) } }
        }
        return (texts, isWellFormed)
    }

    @Test func eventsOfSeveralBatchesAreFound() {
        let start = "{\"event_type\":\"session_start\",\"data\":{\"source_message_id\":\"x}]\\\"{\"}}"
        let batch = "{\"mpid\":1,\"events\":[\(Self.event(3, 4)),\(start),\(Self.event(5, 6))]}"
        let found = Self.texts(in: "[\(batch),{\"events\":[\(Self.event(7, 8))]}]")
        #expect(found.isWellFormed)
        #expect(found.texts.map(\.producer) == [3, 5, 7] && found.texts.map(\.number) == [4, 6, 8])
        #expect(Set(found.texts.map(\.bytes)).count == 3)
    }

    @Test func aBatchThatIsCutOffIsNoBatch() {
        let batch = "{\"events\":[\(Self.event(3, 4)),\(Self.event(5, 6))]}"
        #expect(Self.texts(in: batch).isWellFormed)
        #expect(!Self.texts(in: String(batch.dropLast(3))).isWellFormed)
        #expect(!Self.texts(in: String(batch.dropLast(2))).isWellFormed)
    }

    @Test func theHandEncoderKnowsItsOwnBytes() {
        let event = Array(Self.event(3, 4).utf8)
        event.withUnsafeBytes { event in
            guard let text = EventText(event) else {
                Issue.record("it is no event")
                return
            }
            #expect(HandEncoder.writesSame(as: event, text))
        }
    }
}
