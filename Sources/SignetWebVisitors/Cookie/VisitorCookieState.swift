// SPDX-License-Identifier: Apache-2.0

/// The state of the visitor cookie in a request.
public enum VisitorCookieState: Sendable, Hashable {
    /// No visitor cookie, or an empty one.
    case none
    /// A cookie that the first key has signed.
    case valid(VisitorID)
    /// A cookie that an older key has signed.
    case oldKey(VisitorID)
    /// A cookie that no key has signed.
    case forged
    /// A cookie of more than ``maximumLength`` bytes; not looked at.
    case oversized
    /// `Cookie` fields of more than ``maximumFieldLength`` together; not looked at, so that a valid cookie may be among them.
    case unread
    /// Several visitor cookies that differ: a browser sends them if another host of the domain has planted one.
    case duplicate

    /// The longest value that is looked at, in bytes.
    public static let maximumLength = 128
    /// The most bytes of all `Cookie` fields that are looked at.
    public static let maximumFieldLength = 32 * 1024

    /// Reads the `Cookie` fields of a request.
    ///
    /// Sizes are checked first, then the number of cookies, then one signature.
    init(fields: [String], name: String, keys: VisitorKeys) {
        guard fields.reduce(0, { $0 + $1.utf8.count }) <= Self.maximumFieldLength else {
            self = .unread
            return
        }
        var value: ArraySlice<UInt8>?
        for field in fields {
            for pair in Array(field.utf8).split(separator: UInt8(ascii: ";")) {
                guard let found = Self.value(of: pair, name), !found.isEmpty else { continue }
                guard value == nil || value == found else {
                    self = .duplicate
                    return
                }
                value = found
            }
        }
        guard let value else {
            self = .none
            return
        }
        guard value.count <= Self.maximumLength else {
            self = .oversized
            return
        }
        guard let (visitor, isCurrent) = keys.verify(Array(value)) else {
            self = .forged
            return
        }
        self = isCurrent ? .valid(visitor) : .oldKey(visitor)
    }

    /// The value of a pair that has the name; nil for another name.
    private static func value(of pair: ArraySlice<UInt8>, _ name: String) -> ArraySlice<UInt8>? {
        let pair = Self.trimmed(pair)
        let count = name.utf8.count
        guard pair.count > count, pair.starts(with: name.utf8), pair[pair.startIndex + count] == UInt8(ascii: "=")
        else { return nil }
        return pair.dropFirst(count + 1)
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text.drop(while: Self.isSpace)
        while let last = text.last, Self.isSpace(last) { text.removeLast() }
        return text
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
