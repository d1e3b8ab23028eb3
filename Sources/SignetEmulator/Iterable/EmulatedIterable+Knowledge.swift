// SPDX-License-Identifier: Apache-2.0

// A project's current state, for tests to inspect.
extension EmulatedIterable {
    /// Returns all users in the order of creation.
    public func users() -> [EmulatedIterableUser] {
        self.read { $0.directory.all.map(EmulatedIterableUser.init) }
    }

    /// Returns one user.
    ///
    /// - Parameter id: An email or user id of the user.
    /// - Returns: The user; nil when no user has this id.
    public func user(_ id: EmulatedIterableUserID) -> EmulatedIterableUser? {
        self.read { $0.directory[id].map(EmulatedIterableUser.init) }
    }

    /// Returns one user.
    ///
    /// - Parameter email: The address.
    /// - Returns: The user; nil when no user has it.
    public func user(email: String) -> EmulatedIterableUser? {
        self.user(.email(email))
    }

    /// Returns one user.
    ///
    /// - Parameter userID: The user id; for an unknown user, the UUID.
    /// - Returns: The user; nil when no user has it.
    public func user(userID: String) -> EmulatedIterableUser? {
        self.user(.userID(userID))
    }

    /// Returns the unknown users in the order of creation.
    public func unknownUsers() -> [EmulatedIterableUser] {
        self.users().filter(\.isUnknown)
    }

    /// Returns the events of one user, those of merged users included.
    ///
    /// - Parameter id: An email or user id of the user.
    /// - Returns: The events in the order of arrival; empty when no user has this id.
    public func events(of id: EmulatedIterableUserID) -> [EmulatedIterableEvent] {
        self.read { $0.directory[id]?.events ?? [] }
    }

    /// Returns the events of all users in the order of arrival.
    public func events() -> [EmulatedIterableEvent] {
        self.read { $0.directory.all.flatMap(\.events) }.sorted { $0.number < $1.number }
    }

    /// Returns the requests that created unknown users, repetitions included, in the order of arrival.
    public func activations() -> [EmulatedIterableActivation] {
        self.read { $0.activations.all }
    }

    /// Returns the log of consent in the order of arrival.
    public func consents() -> [EmulatedIterableConsent] {
        self.read { $0.consents.all }
    }

    /// Returns the completed merges in the order of arrival.
    public func merges() -> [EmulatedIterableMerge] {
        self.read { $0.merges.all }
    }

    /// Returns all requests that named the key of the project, refused ones included, in the order of arrival.
    ///
    /// Requests that faults kept from arriving, or answered in the platform's place, are not included.
    public func requests() -> [EmulatedIterableRequest] {
        self.read { $0.requests.all }
    }

    /// Returns the requests on one route.
    ///
    /// - Parameter route: The route of the requests.
    /// - Returns: The requests in the order of arrival.
    public func requests(on route: EmulatorRoute) -> [EmulatedIterableRequest] {
        self.requests().filter { $0.route == route }
    }
}
