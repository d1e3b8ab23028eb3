// SPDX-License-Identifier: Apache-2.0

/// Header fields in order.
///
/// Names are compared without regard to case. Neither names nor values can smuggle in a line break.
public struct HTTPHeaders: Sendable, Hashable {
    private var fields: [Field] = []

    /// One field.
    public struct Field: Sendable, Hashable {
        /// The name as given.
        public let name: String
        /// The value as given.
        public let value: String
    }

    /// Makes an empty list.
    public init() {}

    /// The number of fields.
    public var count: Int {
        self.fields.count
    }

    /// The value of the first field of a name, without regard to case.
    public subscript(name: String) -> String? {
        self.fields.first { Self.isSame($0.name, name) }?.value
    }

    /// All values of a name, in order.
    ///
    /// - Parameter name: The name, without regard to case.
    /// - Returns: The values; empty when there is no such field.
    public func values(of name: String) -> [String] {
        self.fields.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// Appends a field.
    ///
    /// - Parameters:
    ///   - name: A token (RFC 9110, 5.6.2).
    ///   - value: Text without control characters other than a tab.
    /// - Returns: True if the field was appended; false when the name or the value is not allowed (RFC 9110, 5.5).
    @discardableResult
    public mutating func append(name: String, value: String) -> Bool {
        guard Self.isToken(name), Self.isFieldValue(value) else { return false }
        self.fields.append(Field(name: name, value: value))
        return true
    }

    private static func isSame(_ lhs: String, _ rhs: String) -> Bool {
        lhs.utf8.count == rhs.utf8.count
            && zip(lhs.utf8, rhs.utf8).allSatisfy { Self.lowercased($0) == Self.lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default:
                    "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    private static func isFieldValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }
}

extension HTTPHeaders: RandomAccessCollection {
    /// The first position.
    public var startIndex: Int {
        self.fields.startIndex
    }

    /// The position after the last.
    public var endIndex: Int {
        self.fields.endIndex
    }

    /// The field at a position.
    public subscript(position: Int) -> Field {
        self.fields[position]
    }
}

// Values hold keys, signatures and tokens. Without these conformances `print`, `dump`, an interpolation into a log line
// or a failed assertion shows them.

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names, without the values.
    public var description: String {
        "HTTPHeaders(\(self.map(\.name).joined(separator: ", ")))"
    }

    /// The names, without the values.
    public var debugDescription: String {
        self.description
    }

    /// A mirror without children.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}

extension HTTPHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name, without the value.
    public var description: String {
        "\(self.name): <redacted>"
    }

    /// The name, without the value.
    public var debugDescription: String {
        self.description
    }

    /// A mirror without children.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
