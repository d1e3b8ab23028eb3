// SPDX-License-Identifier: Apache-2.0

/// Reads untrusted JSON: strictly RFC 8259, within limits, in linear time.
///
/// It is stricter than Foundation on purpose: no byte order mark, no UTF-16, no trailing comma, no repeated name.
/// Numbers are kept as text, so an identifier beyond 2^53 arrives whole.
///
/// A document that is read again and again until it can be read is read by ``JSONFaults/leftOut``: then one unreadable
/// part does not cost the others.
package enum JSONReader {
    /// Reads one document.
    ///
    /// - Parameters:
    ///   - bytes: The whole document, UTF-8.
    ///   - limits: The limits on the document.
    ///   - faults: The treatment of parts that cannot be read.
    /// - Returns: The value.
    /// - Throws: ``JSONError`` with the position of the first fault.
    package static func read(
        _ bytes: [UInt8],
        limits: JSONLimits = JSONLimits(),
        faults: JSONFaults = .refused
    ) throws(JSONError) -> JSONValue {
        guard bytes.count <= limits.bytes else {
            throw JSONError(.tooLarge, offset: limits.bytes, "more than \(limits.bytes) bytes")
        }
        return try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) -> JSONValue in
            var parser = JSONParser(buffer, limits: limits, faults: faults)
            return try parser.document()
        }
    }

    /// Reads one document for a caller to whom all faults are alike.
    ///
    /// - Returns: The value; nil for what ``read(_:limits:faults:)`` refuses.
    package static func value(
        _ bytes: [UInt8],
        limits: JSONLimits = JSONLimits(),
        faults: JSONFaults = .refused
    ) -> JSONValue? {
        do throws(JSONError) {
            return try Self.read(bytes, limits: limits, faults: faults)
        } catch {
            return nil
        }
    }
}

/// The treatment of parts of JSON that cannot be read, in a document whose brackets and commas are right.
package enum JSONFaults: Sendable, Hashable {
    /// The document is refused.
    case refused
    /// The others are read: a text that is not Unicode, and what is nested too deeply, is `null`; of members of one
    /// name the last one counts, as with most readers; a byte order mark is skipped.
    case leftOut
}

/// Limits on JSON from outside.
package struct JSONLimits: Sendable, Hashable {
    /// The deepest nesting that any reader accepts; each level costs stack.
    package static let maximumDepth = 512

    /// The maximum length of a document, in bytes.
    package var bytes: Int
    /// The maximum nesting of arrays and objects; values above ``maximumDepth`` count as that.
    package var depth: Int
    /// The maximum number of values in a document, counting arrays and objects themselves but not member names.
    package var values: Int

    /// Makes limits.
    package init(bytes: Int = 1 << 20, depth: Int = 32, values: Int = 100_000) {
        self.bytes = bytes
        self.depth = depth
        self.values = values
    }
}

/// A fault in JSON that the reader refuses.
package struct JSONError: Error, Sendable, Hashable {
    /// The kinds of fault.
    package enum Code: String, Sendable, Hashable {
        /// More bytes than the limit.
        case tooLarge
        /// More nesting than the limit.
        case tooDeep
        /// More values than the limit.
        case tooManyValues
        /// An object has two members of one name.
        case duplicateKey
        /// Something that the grammar does not allow at this place.
        case invalidSyntax
        /// Bad UTF-8, half of a surrogate pair, an unknown escape, or a raw control character in a string.
        case invalidText
        /// The document ends too early.
        case truncated
    }

    /// The kind of fault.
    package let code: Code
    /// The byte of the fault, counted from 0.
    package let offset: Int
    /// The expectation that failed, without any of the document's content.
    package let message: String

    /// Makes an error.
    package init(_ code: Code, offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }
}

extension JSONError: CustomStringConvertible {
    /// The code, the place and the message.
    package var description: String {
        "\(self.code.rawValue) at byte \(self.offset): \(self.message)"
    }
}
