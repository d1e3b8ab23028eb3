// SPDX-License-Identifier: Apache-2.0

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
