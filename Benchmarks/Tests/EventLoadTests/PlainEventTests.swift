// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import event_load

@Suite struct PlainEventTests {
    private static let id = "01234567-89AB-4DEF-8123-000000000000"

    private static func byHand(_ number: Int) -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: 2048, alignment: 8) { buffer in
            var encoder = HandEncoder(into: buffer)
            let time: Int64 = 1_763_700_000_123
            let count = encoder.encode(producer: 0, number: number, milliseconds: time, messageID: Array(Self.id.utf8))
            return Array(buffer[..<count])
        }
    }

    @Test(arguments: [0, 7, 123_456])
    func theComparisonIsOfTheSameEvent(number: Int) throws {
        let event = PlainEvent(number: number, milliseconds: 1_763_700_000_123, messageID: Self.id)
        let byHand = Self.byHand(number)
        #expect(try JSONDecoder().decode(PlainEvent.self, from: Data(byHand)) == event)
        // The order of members is free, their bytes are as many.
        #expect(try JSONEncoder().encode(event).count == byHand.count)
    }

    @Test func eachEventIsALine() throws {
        let workspace = try Workspace(in: "/tmp", named: "event-load-plain-test")
        defer { workspace.clear() }
        let path = workspace.fresh("plain")
        let file = try PlainFile(path: path)
        for number in 0..<10 { try file.log(number) }
        let lines = try FileBytes.read(path).split(separator: UInt8(ascii: "\n"))
        let events = try lines.map { try JSONDecoder().decode(PlainEvent.self, from: Data($0)) }
        #expect(events.map { $0.details.attributes["n"] } == (0..<10).map { String($0) })
        #expect(Set(events.map(\.details.messageID)).count == 10)
    }
}
