// SPDX-License-Identifier: Apache-2.0

package import SignetModel

/// The key and the secret of one input of a workspace.
package struct WorkspaceCredentials: Sendable, Hashable {
    /// The maximum length of a key, in bytes.
    package static let maximumKeyLength = 256

    /// The API key: it names the input, and is sent in headers and in the path of the alias request.
    package let apiKey: String
    /// The secret: it signs, and is sent only in Basic authentication.
    package let secret: Secret

    package init(apiKey: String, secret: Secret) {
        self.apiKey = apiKey
        self.secret = secret
    }

    /// Checks that the credentials may be put into a request.
    ///
    /// The key is a path segment, a header value and the part before the colon of Basic authentication. All three allow the
    /// unreserved set of RFC 3986, 2.3; a segment of dots only would climb in the path (3.3).
    package func check(for authentication: Authentication) throws(WireError) {
        guard !self.apiKey.isEmpty else {
            throw WireError(.invalidAPIKey, "The API key is empty.")
        }
        guard self.apiKey.utf8.count <= Self.maximumKeyLength else {
            throw WireError(
                .invalidAPIKey,
                "The API key has \(self.apiKey.utf8.count) bytes; at most \(Self.maximumKeyLength) are allowed."
            )
        }
        guard self.apiKey.utf8.allSatisfy(Self.isUnreserved), self.apiKey != ".", self.apiKey != ".." else {
            throw WireError(
                .invalidAPIKey,
                "The API key has a character that is not allowed. Use ASCII letters, digits, '-', '.', '_' and '~'."
            )
        }
        guard authentication == .keyOnly || !self.secret.isEmpty else {
            throw WireError(.emptySecret, "The secret is empty. HMAC and Basic authentication need a secret.")
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "-._~".utf8.contains(byte)
        }
    }
}

extension WorkspaceCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String {
        "WorkspaceCredentials(<redacted>)"
    }

    package var debugDescription: String {
        self.description
    }

    package var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
