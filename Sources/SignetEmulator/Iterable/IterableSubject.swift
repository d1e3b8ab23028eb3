//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Whom a request is about, and whether there may be a user of that name from now on.
struct IterableSubject: Sendable, Hashable {
    let id: EmulatedIterableUserID
    /// An address makes a user; a user id does only with `preferUserId`.
    ///
    /// Our own choice: the clients send the flag whenever there is no address, and no source at hand says what the service
    /// does without it. So a client that forgets it is seen.
    let mayCreate: Bool

    /// Names beside the rest of a body.
    static let members: Set<String> = ["email", "userId", "preferUserId"]

    /// Reads the names of a body.
    init(_ members: ObjectReader) throws(Refusal) {
        try self.init(members, outer: nil)
    }

    /// Reads `user` of a body; `preferUserId` may stand beside it or, as one of the vendor's clients has it, inside.
    init(userOf members: ObjectReader) throws(Refusal) {
        let value = try members.required("user", members.value("user"))
        try self.init(ObjectReader(value, path: "user", allowed: Self.members), outer: members.flag("preferUserId"))
    }

    private init(_ members: ObjectReader, outer: Bool?) throws(Refusal) {
        self.id = try members.visitorID()
        let prefersUserID = try members.flag("preferUserId") ?? outer ?? false
        self.mayCreate = if case .email = self.id { true } else { prefersUserID }
    }
}
