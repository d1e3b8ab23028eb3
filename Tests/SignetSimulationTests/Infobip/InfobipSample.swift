// SPDX-License-Identifier: Apache-2.0

import SignetInfobip
import SignetModel
import SignetTransport

import struct FoundationEssentials.Date

/// A value of each kind with the number of an edit inside, and values as texts that can be compared, whoever has said them.
struct InfobipSample: Sendable {
    let value: InfobipValue
    /// What the service has to keep of it.
    let text: String

    /// The attributes that are no texts, by their names.
    static let keys = ["number", "day", "moment", "flag", "list"]

    /// Makes the value of an attribute.
    ///
    /// - Parameters:
    ///   - key: Its name, which says the kind.
    ///   - edit: The number of the edit.
    ///   - isOwn: Whether it is of an installation, not of a person.
    init(_ key: String, of edit: Int, isOwn: Bool) {
        switch key {
        case "number":
            // Numbers with a fraction, too.
            let whole = (isOwn ? Self.ownNumbers : Self.numbers) + edit
            let value: InfobipValue = edit.isMultiple(of: 2) ? .integer(Int64(whole)) : .double(Double(whole) + 0.5)
            self.init(value: value, text: Self.text(value))
        case "day":
            let text = Self.day(edit, isOwn: isOwn)
            self.init(value: CalendarDay(text).map(InfobipValue.date) ?? .string(text), text: text)
        case "moment":
            // To the fraction of a second on the device, and to the second at the service.
            let second = edit + (isOwn ? 3600 : 0)
            let date = Date(timeIntervalSinceReferenceDate: Self.moments + Double(second) + Double(edit % 7) / 10)
            self.init(value: .dateTime(date), text: Self.moment(second))
        case "flag":
            let value = InfobipValue.bool(edit.isMultiple(of: 2))
            self.init(value: value, text: Self.text(value))
        default:
            let item: InfobipItem = [
                "item": .string("\(isOwn ? "dev" : "usr")-\(edit)"), "price": .double(Double(edit) + 0.25),
                "day": Self("day", of: edit, isOwn: isOwn).value, "used": .bool(edit.isMultiple(of: 3)), "gift": nil,
            ]
            let value = InfobipValue.list([item])
            self.init(value: value, text: Self.text(value))
        }
    }

    private init(value: InfobipValue, text: String) {
        self.value = value
        self.text = text
    }

    // MARK: - Texts

    private static let numbers = 77_000_000_000
    private static let ownNumbers = 66_000_000_000
    /// 2030-01-01T00:00:00Z, in seconds since 2001: such a moment has a finer fraction than one that counts from 1970.
    private static let moments: Double = 915_148_800

    /// Months of 28 days are days enough.
    static func day(_ edit: Int, isOwn: Bool) -> String {
        "\((isOwn ? 2212 : 2112) + edit / 336)-\(Self.padded(1 + edit / 28 % 12))-\(Self.padded(1 + edit % 28))"
    }

    private static func moment(_ second: Int) -> String {
        "2030-01-01T\(Self.padded(second / 3600)):\(Self.padded(second / 60 % 60)):\(Self.padded(second % 60))Z"
    }

    private static func padded(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// What the service has to keep of a value.
    static func text(_ value: InfobipValue) -> String {
        switch value {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .double(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .bool(let flag): "\(flag)"
        case .date(let day): day.description
        case .dateTime(let date): Self.moment(Int((date.timeIntervalSinceReferenceDate - Self.moments).rounded(.down)))
        case .list(let items): Self.list(items.map { $0.members.mapValues { $0.map(Self.text) } })
        }
    }

    /// What tells values apart that have the same text.
    static func kind(of value: InfobipValue) -> String {
        if case .dateTime(let date) = value { return "\(date.timeIntervalSinceReferenceDate)" }
        return value.description
    }

    /// The same of a value on the wire; nil takes away.
    static func text(_ json: JSONValue) -> String? {
        switch json {
        case .null: nil
        case .string(let text): text
        case .number(let number): number.int64.map { "\($0)" } ?? number.double.map { "\($0)" } ?? number.text
        case .bool(let flag): "\(flag)"
        case .array(let elements):
            Self.list(
                elements.map { element in
                    Dictionary((element.object ?? JSONObject()).map { ($0.key, Self.text($0.value)) }) { $1 }
                }
            )
        case .object: "an object"
        }
    }

    private static func list(_ items: [[String: String?]]) -> String {
        let texts = items.map { item in
            item.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value ?? "nil")" }.joined(separator: " ")
        }
        return "[" + texts.joined(separator: "; ") + "]"
    }

    // MARK: - Numbers

    /// The number of the edit in a text.
    static func number(in text: String) -> Int? {
        if text.hasPrefix("usr-") || text.hasPrefix("dev-") { return Self.digits(text.dropFirst(4)) }
        // Phones: see `InfobipPersona.phone`.
        if text.hasPrefix("3859"), text.utf8.count == 12 { return Int(text.dropFirst(4)) }
        if text.hasPrefix("7700000") || text.hasPrefix("6600000") { return Self.digits(text.dropFirst(2)) }
        if text.hasPrefix("[") {
            // The text in an object.
            guard let item = text.split(separator: " ").first(where: { $0.hasPrefix("item=") }) else { return nil }
            return Self.number(in: String(item.dropFirst("item=".count)))
        }
        let parts = text.split(whereSeparator: { "-T:Z".contains($0) }).compactMap { Int($0) }
        if text.hasPrefix("2030-"), parts.count == 6 { return parts[4] * 60 + parts[5] }
        guard parts.count == 3, (2112..<2312).contains(parts[0]) else { return nil }
        return ((parts[0] - 2112) % 100 * 12 + parts[1] - 1) * 28 + parts[2] - 1
    }

    private static func digits(_ text: Substring) -> Int? {
        Int(text.prefix { $0.isNumber })
    }
}
