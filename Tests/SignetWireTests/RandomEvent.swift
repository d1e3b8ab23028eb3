// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import SignetTestSupport

/// Custom events and screen views of all sorts, most of them plain.
enum RandomEvent {
    static func make(using generator: inout SeededGenerator) -> Event {
        var attributes: [(String, AttributeValue)] = []
        for _ in 0..<Int.random(in: 0...8, using: &generator) {
            attributes.append((self.text(using: &generator), self.value(using: &generator)))
        }
        let name = self.text(using: &generator)
        var event: Event =
            Bool.random(using: &generator)
            ? .screen(name, attributes: Attributes(attributes))
            : .custom(
                name,
                type: Event.CustomType.all.randomElement(using: &generator) ?? .other,
                attributes: Attributes(attributes)
            )
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: event.category = self.text(using: &generator)
        case 1: event.timing = Event.Timing(start: -1, duration: Int64.random(in: 0...99999, using: &generator))
        case 2: event.beginsSession = false
        case 3: event.location = Location(latitude: 1, longitude: 2)
        default: break
        }
        return event
    }

    static func value(using generator: inout SeededGenerator) -> AttributeValue {
        switch Int.random(in: 0..<24, using: &generator) {
        case 0..<8: .string(self.text(using: &generator))
        case 8..<12: .integer(Int64.random(in: -1000...1000, using: &generator))
        case 12: .integer(Int64(bitPattern: generator.next()))
        case 13..<17: .double((Double.random(in: -1000...1000, using: &generator) * 100).rounded() / 100)
        case 17: .double(Double.random(in: -1e12...1e12, using: &generator))
        case 18..<21: .bool(Bool.random(using: &generator))
        case 21: .null
        case 22: .date(Date(timeIntervalSince1970: Double(Int64.random(in: -9999...99_999_999_999, using: &generator))))
        default: .list([1, .string(self.text(using: &generator)), false])
        }
    }

    static func text(using generator: inout SeededGenerator) -> String {
        let plain: [Character] = ["a", "B", "7", " ", "/", "é", "\u{1F600}", "\u{7F}", "\u{2028}", "e\u{301}"]
        let escaped: [Character] = ["\"", "\\", "\n", "\r\n", "\u{1}", "\u{1F}", "\u{0}"]
        let characters = Int.random(in: 0..<25, using: &generator) == 0 ? plain + escaped : plain
        let count = Int.random(in: 0...(Bool.random(using: &generator) ? 6 : 40), using: &generator)
        return String((0..<count).map { _ in characters.randomElement(using: &generator) ?? "x" })
    }
}
