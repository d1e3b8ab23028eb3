// SPDX-License-Identifier: Apache-2.0

/// The user that a request is about, and the permission to create it.
struct IterableSubject: Sendable, Hashable {
    let id: EmulatedIterableUserID
    /// True if the request may create the user: always by an address, by a user id only with `preferUserId`.
    ///
    /// Our own choice: the clients send the flag whenever there is no address, and no source at hand says what the service
    /// does without it. This detects a client that omits the flag.
    let mayCreate: Bool

    /// The members of a body that name the user.
    static let members: Set<String> = ["email", "userId", "preferUserId"]

    /// Reads the user from a body.
    init(_ members: ObjectReader) throws(Refusal) {
        try self.init(members, outer: nil)
    }

    /// Reads `user` of a body; `preferUserId` may be beside it or, as one of the vendor's clients sends it, inside.
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
