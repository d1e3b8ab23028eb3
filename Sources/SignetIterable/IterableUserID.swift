// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetTransport
import SignetWire

/// The name of a user at Iterable.
///
/// An unknown user has a UUID that Signet made; a known user has the name that the app gave. A token for them has the
/// claim that ``description`` names. Two names are the same when their bytes are, as for Iterable.
public enum IterableUserID: Sendable, Hashable {
    /// An e-mail address: the claim `email` of a token.
    case email(String)
    /// A user id of the app, or the UUID of an unknown user: the claim `userId` of a token.
    case userID(String)

    /// Converts the name from the wire type.
    init(_ identity: IterableIdentity) {
        self =
            switch identity {
            case .email(let email): .email(email)
            case .userID(let userID): .userID(userID)
            }
    }

    /// The name as the wire type.
    var wire: IterableIdentity {
        switch self {
        case .email(let email): .email(email)
        case .userID(let userID): .userID(userID)
        }
    }

    /// The text of the name.
    var text: String {
        switch self {
        case .email(let text), .userID(let text): text
        }
    }

    /// True if the name can be sent.
    var isValid: Bool {
        (1...255).contains(self.text.utf8.count)
            && !self.text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }

    /// Throws if the name cannot be sent.
    func validate() throws(SignetError) {
        guard self.isValid else {
            throw SignetError(
                .invalidArgument,
                "An email or user id for Iterable must have 1 to 255 bytes and no control characters."
            )
        }
    }
}

extension IterableUserID {
    /// Compares names of the same kind.
    public static func == (lhs: IterableUserID, rhs: IterableUserID) -> Bool {
        switch (lhs, rhs) {
        case (.email(let lhs), .email(let rhs)), (.userID(let lhs), .userID(let rhs)): ByteText.isSame(lhs, rhs)
        case (.email, _), (.userID, _): false
        }
    }

    /// Hashes the kind and the name.
    public func hash(into hasher: inout Hasher) {
        if case .email = self { hasher.combine(true) } else { hasher.combine(false) }
        hasher.combine(ByteText(self.text))
    }
}

extension IterableUserID: CustomStringConvertible, CustomReflectable {
    /// The kind, without the value.
    public var description: String {
        if case .email = self { "email" } else { "userId" }
    }

    /// A mirror without the value.
    public var customMirror: Mirror {
        Mirror(self, children: ["kind": self.description])
    }
}
