// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

/// The reason for which a request cannot be written, or an answer cannot be read.
package struct WireError: Error, Sendable, Hashable {
    /// The kinds of failure.
    package enum Code: Sendable, Hashable {
        /// The API key is not allowed in a header or a path.
        case invalidAPIKey
        /// The secret that the authentication needs is empty.
        case emptySecret
        /// An id is not allowed in a path.
        case invalidIdentifier
        /// A header was refused.
        case invalidHeader
        /// The answer is not JSON within our limits, such as the HTML page of a captive portal.
        case notJSON
        /// The answer is JSON, but a member is missing or of another type than documented.
        case invalidReply
    }

    /// The kind of failure.
    package let code: Code
    /// The description of the failure, without keys, identities or bodies.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension WireError: CustomStringConvertible {
    package var description: String {
        "\(self.code): \(self.message)"
    }
}

extension HTTPHeaders {
    /// Appends a field.
    ///
    /// - Throws: `invalidHeader` for a value that no header can hold.
    package mutating func add(_ name: String, _ value: String) throws(WireError) {
        guard self.append(name: name, value: value) else {
            throw WireError(.invalidHeader, "The value of header \(name) has a character that is not allowed.")
        }
    }
}
