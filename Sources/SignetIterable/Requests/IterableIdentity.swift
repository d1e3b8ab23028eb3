// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The name of a user at Iterable: a UUID for an unknown user, the app's name for a known one.
enum IterableIdentity: Sendable, Hashable {
    /// An e-mail address.
    case email(String)
    /// A user id.
    case userID(String)

    /// Writes the name as a member of the object begun last.
    func write(to writer: inout JSONWriter, email emailKey: String = "email", userID userKey: String = "userId") {
        self.writeEmail(to: &writer, emailKey)
        self.writeUserID(to: &writer, userKey)
    }

    /// Writes the name if it is an address.
    func writeEmail(to writer: inout JSONWriter, _ key: String = "email") {
        if case .email(let email) = self {
            writer.member(key, email)
        }
    }

    /// Writes the name if it is a user id.
    func writeUserID(to writer: inout JSONWriter, _ key: String = "userId") {
        if case .userID(let userID) = self {
            writer.member(key, userID)
        }
    }

    /// True for a user id, so that the service makes a user of it.
    ///
    /// An address makes one anyway.
    var prefersUserID: Bool {
        if case .userID = self { true } else { false }
    }

    /// Writes `preferUserId`, where there is no address.
    func writePreference(to writer: inout JSONWriter) {
        if self.prefersUserID {
            writer.member("preferUserId", true)
        }
    }
}

extension IterableIdentity: CustomStringConvertible {
    /// The kind, without the value.
    var description: String {
        self.prefersUserID ? "userId" : "email"
    }
}
