// SPDX-License-Identifier: Apache-2.0

/// The reason for which a value cannot become attributes.
public struct AttributeEncodingError: Error, Sendable {
    /// The kinds of failure.
    public enum Reason: String, Sendable, Hashable {
        /// The value has no names at the top: it is a list or a single value.
        case noNames
        /// An object, or a list within a list, is inside an attribute.
        case nested
        /// A number is NaN or infinite.
        case notFinite
        /// A whole number is beyond the range of `Int64`.
        case outOfRange
        /// A key is empty, or longer than 256 characters (UTF-16 units).
        case invalidKey
        /// The value's own `encode(to:)` threw; ``AttributeEncodingError/cause`` has the error.
        case failed
    }

    /// The kind of failure.
    public let reason: Reason
    /// The place in the value, such as `address.street` or `tags[3]`; empty for the value itself.
    public let keyPath: String
    /// The error of the value's own `encode(to:)`; nil for the other reasons.
    public let cause: (any Error)?

    init(_ reason: Reason, at path: [any CodingKey], cause: (any Error)? = nil) {
        self.reason = reason
        self.keyPath = Self.text(of: path)
        self.cause = cause
    }

    /// A description of the failure and of a remedy, without the value.
    public var message: String {
        let place = self.keyPath.isEmpty ? "The value" : String(reflecting: String(self.keyPath.prefix(300)))
        return switch self.reason {
        case .noNames:
            "\(place) has no names for attributes. Encode a type with stored properties, or a dictionary with String keys."
        case .nested:
            "\(place) holds an object or a list in a list; an attribute is one value or a list of values. Flatten the type, "
                + "or leave the property out of its CodingKeys."
        case .notFinite:
            "\(place) is NaN or infinite; only finite numbers are allowed. Leave the number out, or send it as text."
        case .outOfRange:
            "\(place) is beyond the range of a 64-bit integer. Send it as text."
        case .invalidKey:
            "\(place) has an attribute key that is empty or longer than \(Attributes.keyLength) characters. "
                + "Give it another name in CodingKeys."
        case .failed:
            "\(place) could not be encoded: its encode(to:) threw \(self.cause.map { "\(type(of: $0))" } ?? "an error")."
        }
    }

    private static func text(of path: [any CodingKey]) -> String {
        path.reduce(into: "") { text, key in
            if let index = key.intValue, key is AttributeIndex { return text += "[\(index)]" }
            text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
        }
    }
}

extension AttributeEncodingError: CustomStringConvertible {
    /// The reason and the message.
    public var description: String {
        "\(self.reason.rawValue): \(self.message)"
    }
}

/// A place in a list.
struct AttributeIndex: CodingKey {
    let intValue: Int?
    let stringValue: String

    init(_ index: Int) {
        self.intValue = index
        self.stringValue = String(index)
    }

    init?(intValue: Int) {
        self.init(intValue)
    }

    init?(stringValue: String) {
        return nil
    }
}
