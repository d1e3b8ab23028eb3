// SPDX-License-Identifier: Apache-2.0

package import SignetModel

package import struct FoundationEssentials.Date
package import struct FoundationEssentials.UUID
package import typealias FoundationEssentials.uuid_t

/// A value that a record of the state log can hold.
package protocol RecordValue {
    /// Writes the value after its name.
    ///
    /// - Returns: Its type.
    func write(to encoder: inout RecordEncoder) -> RecordKind

    /// Reads the value.
    ///
    /// - Throws: Damage if it has another type.
    init(record value: RecordDecoder.Value) throws(RecordDamage)
}

extension RecordFields {
    package func write(to encoder: inout RecordEncoder) -> RecordKind {
        encoder.nest { self.encode(into: &$0) }
        return .record
    }

    package init(record value: RecordDecoder.Value) throws(RecordDamage) {
        var fields = try value.fields()
        try self.init(from: &fields)
    }
}

// An unsigned number above the half goes as the negative number with the same bits: "all" then takes one byte.
extension RecordValue where Self: FixedWidthInteger {
    package func write(to encoder: inout RecordEncoder) -> RecordKind {
        let number = Int64(truncatingIfNeeded: self)
        encoder.append(UInt64(bitPattern: number << 1 ^ number >> 63))
        return .integer
    }

    package init(record value: RecordDecoder.Value) throws(RecordDamage) {
        let bits = try value.number(.integer)
        let number = Int64(bitPattern: bits >> 1) ^ -Int64(bits & 1)
        self.init(truncatingIfNeeded: number)
        guard Int64(truncatingIfNeeded: self) == number else { throw RecordDamage(field: nil) }
    }
}

extension Int: RecordValue {}
extension Int64: RecordValue {}
extension UInt8: RecordValue {}
extension UInt16: RecordValue {}
extension UInt32: RecordValue {}
extension UInt64: RecordValue {}

extension Bool: RecordValue {
    package func write(to encoder: inout RecordEncoder) -> RecordKind {
        self ? .yes : .no
    }

    package init(record value: RecordDecoder.Value) throws(RecordDamage) {
        guard value.kind == .yes || value.kind == .no else { throw RecordDamage(field: nil) }
        self = value.kind == .yes
    }
}

extension MPID: RecordValue {
    package func write(to encoder: inout RecordEncoder) -> RecordKind {
        encoder.append(fixed: UInt64(bitPattern: self.rawValue))
        return .mpid
    }

    package init(record value: RecordDecoder.Value) throws(RecordDamage) {
        guard let mpid = MPID(rawValue: Int64(bitPattern: try value.number(.mpid))) else {
            throw RecordDamage(field: nil)
        }
        self = mpid
    }
}

extension UUID: RecordValue {
    package func write(to encoder: inout RecordEncoder) -> RecordKind {
        withUnsafeBytes(of: self.uuid) { encoder.append(raw: $0) }
        return .uuid
    }

    package init(record value: RecordDecoder.Value) throws(RecordDamage) {
        guard value.kind == .uuid else { throw RecordDamage(field: nil) }
        self.init(uuid: value.load(as: uuid_t.self))
    }
}

extension String: RecordValue {
    package func write(to encoder: inout RecordEncoder) -> RecordKind {
        encoder.append(length: self.utf8.count)
        encoder.append(raw: self.utf8)
        return .text
    }

    package init(record value: RecordDecoder.Value) throws(RecordDamage) {
        guard value.kind == .text, let text = String(validating: value.content, as: UTF8.self) else {
            throw RecordDamage(field: nil)
        }
        self = text
    }
}

extension AttributeValue: RecordValue {
    package func write(to encoder: inout RecordEncoder) -> RecordKind {
        switch self {
        case .string(let text): return text.write(to: &encoder)
        case .integer(let number): return number.write(to: &encoder)
        case .bool(let flag): return flag.write(to: &encoder)
        case .list(let values): return values.write(to: &encoder)
        case .null: return .null
        case .double(let number):
            encoder.append(fixed: number.bitPattern)
            return .double
        case .date(let date):
            encoder.append(fixed: date.timeIntervalSince1970.bitPattern)
            return .date
        }
    }

    package init(record value: RecordDecoder.Value) throws(RecordDamage) {
        self =
            switch value.kind {
            case .text: .string(try String(record: value))
            case .integer: .integer(try Int64(record: value))
            case .no, .yes: .bool(value.kind == .yes)
            case .list: .list(try [AttributeValue](record: value))
            case .null: .null
            case .double: .double(Double(bitPattern: try value.number(.double)))
            case .date: .date(Date(timeIntervalSince1970: Double(bitPattern: try value.number(.date))))
            case .mpid, .uuid, .bytes, .record: throw RecordDamage(field: nil)
            }
    }
}

extension Array: RecordValue where Element: RecordValue {
    package func write(to encoder: inout RecordEncoder) -> RecordKind {
        encoder.nest { for value in self { $0.write(element: value) } }
        return .list
    }

    package init(record value: RecordDecoder.Value) throws(RecordDamage) {
        self = []
        var values = try value.fields(.list)
        while let next = try values.next() { self.append(try Element(record: next.value)) }
    }
}

/// The key of a dictionary in a record: the name of a field.
package protocol RecordKey: Comparable, Hashable {
    init(recordKey: String)
    var recordKey: String { get }
}

extension String: RecordKey {
    package init(recordKey: String) { self = recordKey }
    package var recordKey: String { self }
}

extension IdentityType: RecordKey {
    package init(recordKey: String) { self.init(wireName: recordKey) }
    package var recordKey: String { self.wireName }
}

extension Dictionary: RecordValue where Key: RecordKey, Value: RecordValue {
    package func write(to encoder: inout RecordEncoder) -> RecordKind {
        encoder.nest {
            for (key, value) in self.sorted(by: { $0.key < $1.key }) { $0.write(key: key.recordKey, value) }
        }
        return .record
    }

    package init(record value: RecordDecoder.Value) throws(RecordDamage) {
        self = [:]
        var fields = try value.fields()
        while let (name, value) = try fields.next() { self[Key(recordKey: name)] = try Value(record: value) }
    }
}

/// In the order in which they were given.
extension Attributes: RecordValue {
    package func write(to encoder: inout RecordEncoder) -> RecordKind {
        encoder.nest { for (key, value) in self { $0.write(key: key, value) } }
        return .record
    }

    package init(record value: RecordDecoder.Value) throws(RecordDamage) {
        var pairs: [(String, AttributeValue)] = []
        var fields = try value.fields()
        while let (name, value) = try fields.next() { pairs.append((name, try AttributeValue(record: value))) }
        self.init(pairs)
    }
}
