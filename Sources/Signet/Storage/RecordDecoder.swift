// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Reads the fields that a ``RecordEncoder`` wrote, in any order; it skips unknown fields.
///
/// Any bytes are safe to read: lengths are checked against the bytes, and nesting has a limit. A record that a newer version may
/// have written gives the fields that were not read to ``unread()``, so that a rewrite keeps them.
package struct RecordDecoder {
    private let bytes: [UInt8]
    private let range: Range<Int>
    private let depth: Int
    /// The end of the field read last: the next one is asked for next, as a rule.
    private var cursor: Int
    /// The number of the field at the cursor.
    private var number = 0
    /// The numbers of the fields that were read, one bit each.
    private var found: UInt64 = 0

    /// The most values inside one another.
    private static let maximumDepth = 16
    /// The most fields of a record whose unknown fields are kept.
    private static let maximumFields = UInt64.bitWidth

    /// Reads a whole record.
    ///
    /// Its end is checked first, so no shortened record passes for one without the later fields.
    init(record bytes: [UInt8]) throws(RecordDamage) {
        guard bytes.count >= 2, bytes[0] > 0, bytes[bytes.count - 1] == 0 else { throw RecordDamage(field: nil) }
        self.init(bytes, 1..<bytes.count - 1, depth: 0)
        var position = self.range.lowerBound
        while try self.next(&position) != nil {}
    }

    private init(_ bytes: [UInt8], _ range: Range<Int>, depth: Int) {
        (self.bytes, self.range, self.depth, self.cursor) = (bytes, range, depth, range.lowerBound)
    }

    /// A value in a record.
    package struct Value {
        package let kind: RecordKind
        fileprivate let bytes: [UInt8]
        /// The place of the value, without the length.
        fileprivate let range: Range<Int>
        fileprivate let depth: Int

        /// The bytes of the value, without the length.
        var content: ArraySlice<UInt8> { self.bytes[self.range] }

        /// The fields or values inside the value.
        package func fields(_ kind: RecordKind = .record) throws(RecordDamage) -> RecordDecoder {
            guard self.kind == kind, self.depth < RecordDecoder.maximumDepth else { throw RecordDamage(field: nil) }
            return RecordDecoder(self.bytes, self.range, depth: self.depth + 1)
        }

        /// The number in a value of one of these types.
        func number(_ kind: RecordKind) throws(RecordDamage) -> UInt64 {
            guard self.kind == kind else { throw RecordDamage(field: nil) }
            if kind == .integer {
                var position = self.range.lowerBound
                return try RecordDecoder.varint(self.bytes, &position, self.range.upperBound)
            }
            return UInt64(littleEndian: self.load(as: UInt64.self))
        }

        /// Reads a value of fixed size; its bytes are there, see ``RecordDecoder/next(_:)``.
        func load<Fixed: BitwiseCopyable>(as type: Fixed.Type) -> Fixed {
            self.bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: self.range.lowerBound, as: type) }
        }
    }

    // MARK: - Fields

    /// Reads a field.
    ///
    /// - Throws: Damage if it is missing or has another type.
    package mutating func read<Value: RecordValue>(_ name: StaticString) throws(RecordDamage) -> Value {
        guard let value: Value = try self.optional(name) else { throw RecordDamage(field: name.description) }
        return value
    }

    /// Reads a field; nil if it is missing.
    ///
    /// - Throws: Damage if it has another type.
    package mutating func optional<Value: RecordValue>(_ name: StaticString) throws(RecordDamage) -> Value? {
        guard let found = try self.find(name) else { return nil }
        do throws(RecordDamage) {
            return try Value(record: found)
        } catch {
            throw RecordDamage(field: error.field ?? name.description)
        }
    }

    /// Reads a flag: false if it is missing.
    package mutating func flag(_ name: StaticString) throws(RecordDamage) -> Bool {
        try self.optional(name) ?? false
    }

    /// Reads a field of bytes; nil if it is missing.
    package mutating func bytes(_ name: StaticString) throws(RecordDamage) -> [UInt8]? {
        guard let found = try self.find(name) else { return nil }
        guard found.kind == .bytes else { throw RecordDamage(field: name.description) }
        return Array(found.content)
    }

    /// Reads the next field, whatever its name; nil at the end.
    package mutating func next() throws(RecordDamage) -> (name: String, value: Value)? {
        guard let field = try self.next(&self.cursor) else { return nil }
        self.noteRead(self.number)
        guard let name = String(validating: self.bytes[field.name], as: UTF8.self) else {
            throw RecordDamage(field: nil)
        }
        return (name, self.value(field))
    }

    /// The fields that were not read, as they are: a newer version wrote them.
    ///
    /// Call it after all fields that this version knows.
    ///
    /// - Throws: Damage if the record has more than 64 fields.
    package func unread() throws(RecordDamage) -> UnknownFields {
        var unknown = UnknownFields()
        var (position, number) = (self.range.lowerBound, 0)
        while position < self.range.upperBound {
            let start = position
            _ = try self.next(&position)
            guard number < Self.maximumFields else { throw RecordDamage(field: nil) }
            if self.found & (1 << UInt64(number)) == 0 { unknown.add(self.bytes[start..<position]) }
            number += 1
        }
        return unknown
    }

    /// The places of all fields in the bytes of the record.
    func places() throws(RecordDamage) -> [Range<Int>] {
        var places: [Range<Int>] = []
        var position = self.range.lowerBound
        while position < self.range.upperBound {
            let start = position
            _ = try self.next(&position)
            places.append(start..<position)
        }
        return places
    }

    private mutating func find(_ name: StaticString) throws(RecordDamage) -> Value? {
        let (start, number) = (self.cursor, self.number)
        if let found = try self.find(name, start..<self.range.upperBound, from: number) { return found }
        return try self.find(name, self.range.lowerBound..<start, from: 0)
    }

    private mutating func find(
        _ name: StaticString,
        _ range: Range<Int>,
        from first: Int
    ) throws(RecordDamage) -> Value? {
        var (position, number) = (range.lowerBound, first)
        while position < range.upperBound, let field = try self.next(&position) {
            guard self.isNamed(field, name) else {
                number += 1
                continue
            }
            self.cursor = position
            self.noteRead(number)
            return self.value(field)
        }
        return nil
    }

    /// Notes that the field of a number was read; the cursor stands behind it.
    private mutating func noteRead(_ number: Int) {
        self.number = number + 1
        if number < Self.maximumFields { self.found |= 1 << UInt64(number) }
    }

    // MARK: - Bytes

    /// The place of a field.
    private struct Field {
        let name: Range<Int>
        let kind: RecordKind
        let value: Range<Int>
    }

    private func value(_ field: Field) -> Value {
        Value(kind: field.kind, bytes: self.bytes, range: field.value, depth: self.depth)
    }

    private func isNamed(_ field: Field, _ name: StaticString) -> Bool {
        guard field.name.count == name.utf8CodeUnitCount else { return false }
        return name.withUTF8Buffer { name in
            name.indices.allSatisfy { self.bytes[field.name.lowerBound + $0] == name[$0] }
        }
    }

    /// Reads the place of the field at a position; nil at the end.
    private func next(_ position: inout Int) throws(RecordDamage) -> Field? {
        guard position < self.range.upperBound else { return nil }
        let header = self.bytes[position]
        position += 1
        guard let kind = RecordKind(rawValue: header >> 4) else { throw RecordDamage(field: nil) }
        let short = Int(header & 0x0F)
        let name = try self.take(short < RecordKind.longName ? short : self.length(&position), &position)
        let value: Range<Int>
        switch kind {
        case .null, .no, .yes: value = position..<position
        case .mpid, .double, .date: value = try self.take(8, &position)
        case .uuid: value = try self.take(16, &position)
        case .text, .bytes, .list, .record: value = try self.take(self.length(&position), &position)
        case .integer:
            let start = position
            _ = try Self.varint(self.bytes, &position, self.range.upperBound)
            value = start..<position
        }
        return Field(name: name, kind: kind, value: value)
    }

    private func take(_ count: Int, _ position: inout Int) throws(RecordDamage) -> Range<Int> {
        guard count <= self.range.upperBound - position else { throw RecordDamage(field: nil) }
        let start = position
        position += count
        return start..<position
    }

    private func length(_ position: inout Int) throws(RecordDamage) -> Int {
        Int(clamping: try Self.varint(self.bytes, &position, self.range.upperBound))
    }

    fileprivate static func varint(
        _ bytes: [UInt8],
        _ position: inout Int,
        _ end: Int
    ) throws(RecordDamage) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while position < end, shift < 64 {
            let byte = bytes[position]
            position += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        throw RecordDamage(field: nil)
    }

    // MARK: - Visiting

    /// Visits all values of a record of any kind, at any depth.
    ///
    /// - Parameters:
    ///   - bytes: The record.
    ///   - number: Receives integers and MPIDs.
    ///   - text: Receives texts, bytes, and names of fields.
    /// - Throws: Damage if the bytes are not a record.
    package static func visit(
        _ bytes: [UInt8],
        number: (Int64) -> Void,
        text: (ArraySlice<UInt8>) -> Void
    ) throws(RecordDamage) {
        try RecordDecoder(record: bytes).visit(number, text)
    }

    private func visit(_ number: (Int64) -> Void, _ text: (ArraySlice<UInt8>) -> Void) throws(RecordDamage) {
        var position = self.range.lowerBound
        while let field = try self.next(&position) {
            text(self.bytes[field.name])
            let value = self.value(field)
            switch field.kind {
            case .integer: number(try Int64(record: value))
            case .mpid: number(try MPID(record: value).rawValue)
            case .text, .bytes: text(value.content)
            case .list, .record: try value.fields(field.kind).visit(number, text)
            case .null, .no, .yes, .uuid, .double, .date: break
            }
        }
    }
}
