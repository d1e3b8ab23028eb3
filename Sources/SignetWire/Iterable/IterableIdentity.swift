//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// What a user is called by at Iterable: an unknown user by a UUID, a known one as the app says.
package enum IterableIdentity: Sendable, Hashable {
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

    /// Whether the service is told to make a user of this id: an address makes one anyway.
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
    package var description: String {
        self.prefersUserID ? "userId" : "email"
    }
}
