// SPDX-License-Identifier: Apache-2.0

/// Writes a record of the state log.
///
/// A field is a byte with the type (upper half) and the length of the name (lower half), the name, and the value. 15 as
/// the length says that the length follows. The values of a list have empty names. A zero ends the record. Lengths and
/// integers have seven bits a byte, lowest first, and the last byte is below 128; a signed integer comes as zigzag.
package struct RecordEncoder {
    private var bytes: [UInt8] = []
    /// The version of the record: fields that only a later version has are left out.
    package let version: UInt8

    package init(version: UInt8, reservingCapacity capacity: Int) {
        self.version = version
        self.bytes.reserveCapacity(capacity)
        self.bytes.append(version)
    }

    /// Returns the bytes without a copy; the encoder is empty afterwards.
    package mutating func finish() -> [UInt8] {
        self.bytes.append(0)
        defer { self.bytes = [] }
        return self.bytes
    }

    // MARK: - Fields

    /// Writes a field; nothing for nil.
    package mutating func write<Value: RecordValue>(_ name: StaticString, _ value: Value?) {
        guard let value else { return }
        let header = name.withUTF8Buffer { self.begin($0) }
        self.end(header, value.write(to: &self))
    }

    /// Writes true; nothing for false.
    package mutating func write(_ name: StaticString, flag: Bool) {
        self.write(name, flag ? true : nil)
    }

    /// Writes a field of bytes.
    package mutating func write(_ name: StaticString, bytes: [UInt8]) {
        let header = name.withUTF8Buffer { self.begin($0) }
        self.append(length: bytes.count)
        self.bytes.append(contentsOf: bytes)
        self.end(header, .bytes)
    }

    /// Writes the fields of a newer version as they were read.
    package mutating func write(_ unknown: UnknownFields) {
        self.bytes.append(contentsOf: unknown.bytes)
    }

    /// Writes a field whose name is data, like the key of an attribute.
    package mutating func write(key: String, _ value: some RecordValue) {
        var key = key
        let header = key.withUTF8 { self.begin($0) }
        self.end(header, value.write(to: &self))
    }

    /// Writes a value of a list.
    package mutating func write(element: some RecordValue) {
        let header = self.begin(UnsafeBufferPointer(start: nil, count: 0))
        self.end(header, element.write(to: &self))
    }

    /// Writes the fields or values of a value inside this one, after their length.
    package mutating func nest(_ body: (inout RecordEncoder) -> Void) {
        let start = self.bytes.count
        self.bytes.append(0)
        body(&self)
        var length = self.bytes.count - start - 1
        guard length >= 0x80 else {
            self.bytes[start] = UInt8(length)
            return
        }
        var digits: [UInt8] = []
        while length >= 0x80 {
            digits.append(UInt8(truncatingIfNeeded: length) | 0x80)
            length >>= 7
        }
        digits.append(UInt8(length))
        self.bytes.replaceSubrange(start...start, with: digits)
    }

    /// - Returns: The index of the byte with the type.
    private mutating func begin(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        let header = self.bytes.count
        self.bytes.append(UInt8(min(name.count, RecordKind.longName)))
        if name.count >= RecordKind.longName { self.append(length: name.count) }
        self.bytes.append(contentsOf: name)
        return header
    }

    private mutating func end(_ header: Int, _ kind: RecordKind) {
        self.bytes[header] |= kind.rawValue << 4
    }

    // MARK: - Values

    mutating func append(_ number: UInt64) {
        var number = number
        while number >= 0x80 {
            self.bytes.append(UInt8(truncatingIfNeeded: number) | 0x80)
            number >>= 7
        }
        self.bytes.append(UInt8(number))
    }

    mutating func append(length: Int) {
        self.append(UInt64(length))
    }

    mutating func append(raw bytes: some Collection<UInt8>) {
        self.bytes.append(contentsOf: bytes)
    }

    /// Appends eight bytes, lowest first.
    mutating func append(fixed number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { self.bytes.append(contentsOf: $0) }
    }
}

/// The types of values in a record.
package enum RecordKind: UInt8 {
    case null = 1
    case no = 2
    case yes = 3
    case integer = 4
    /// Eight bytes, lowest first, so that an erasure finds the user.
    case mpid = 5
    /// Sixteen bytes.
    case uuid = 6
    /// Eight bytes, lowest first: the number by IEEE 754.
    case double = 7
    /// As a double: the seconds since 1970.
    case date = 8
    /// The length, then UTF-8.
    case text = 9
    /// The length, then the bytes.
    case bytes = 10
    /// The length, then values.
    case list = 11
    /// The length, then fields.
    case record = 12

    /// The length of a name from which on the length follows the type.
    static let longName = 15
}
