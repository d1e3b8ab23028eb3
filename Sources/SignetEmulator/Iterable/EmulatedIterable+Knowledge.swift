//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

// What a project knows now, for a test to look at.
extension EmulatedIterable {
    /// All users, in the order in which they were made.
    public func users() -> [EmulatedIterableUser] {
        self.read { $0.directory.all.map(EmulatedIterableUser.init) }
    }

    /// One user.
    ///
    /// - Parameter id: A name of the user.
    /// - Returns: Nil when nobody is called so.
    public func user(_ id: EmulatedIterableUserID) -> EmulatedIterableUser? {
        self.read { $0.directory[id].map(EmulatedIterableUser.init) }
    }

    /// One user.
    ///
    /// - Parameter email: The address.
    /// - Returns: Nil when nobody has it.
    public func user(email: String) -> EmulatedIterableUser? {
        self.user(.email(email))
    }

    /// One user.
    ///
    /// - Parameter userID: The id; of an unknown user the UUID.
    /// - Returns: Nil when nobody has it.
    public func user(userID: String) -> EmulatedIterableUser? {
        self.user(.userID(userID))
    }

    /// The unknown users, in the order in which they were made.
    public func unknownUsers() -> [EmulatedIterableUser] {
        self.users().filter(\.isUnknown)
    }

    /// The events of one user, those of merged users among them.
    ///
    /// - Parameter id: A name of the user.
    /// - Returns: In the order of arrival; empty when nobody is called so.
    public func events(of id: EmulatedIterableUserID) -> [EmulatedIterableEvent] {
        self.read { $0.directory[id]?.events ?? [] }
    }

    /// The events of all users, in the order of arrival.
    public func events() -> [EmulatedIterableEvent] {
        self.read { $0.directory.all.flatMap(\.events) }.sorted { $0.number < $1.number }
    }

    /// The unknown users that clients made, each time they did, in the order of arrival.
    public func activations() -> [EmulatedIterableActivation] {
        self.read { $0.activations.all }
    }

    /// The log of consent, in the order of arrival.
    public func consents() -> [EmulatedIterableConsent] {
        self.read { $0.consents.all }
    }

    /// The merges that were done, in the order of arrival.
    public func merges() -> [EmulatedIterableMerge] {
        self.read { $0.merges.all }
    }

    /// All requests that named the key of the project, in the order of arrival, refused ones too.
    ///
    /// Those that faults kept from arriving, or refused in the platform's place, are not among them.
    public func requests() -> [EmulatedIterableRequest] {
        self.read { $0.requests.all }
    }

    /// The requests of one kind.
    ///
    /// - Parameter route: What they asked for.
    /// - Returns: In the order of arrival.
    public func requests(on route: EmulatorRoute) -> [EmulatedIterableRequest] {
        self.requests().filter { $0.route == route }
    }
}
