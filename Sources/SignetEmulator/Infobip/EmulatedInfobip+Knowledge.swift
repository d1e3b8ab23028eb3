// SPDX-License-Identifier: Apache-2.0

// An application's current state, for tests to inspect.
extension EmulatedInfobip {
    /// Returns all people, empty leads included, in the order of creation.
    public func people() -> [EmulatedInfobipPerson] {
        self.read { $0.state.directory.all.map(EmulatedInfobipPerson.init) }
    }

    /// Returns one person.
    ///
    /// - Parameter number: The person's number.
    /// - Returns: The person; nil when it does not exist, or no longer.
    public func person(_ number: Int) -> EmulatedInfobipPerson? {
        self.read { $0.state.directory[number].map(EmulatedInfobipPerson.init) }
    }

    /// Returns one person.
    ///
    /// - Parameter externalUserID: The external id.
    /// - Returns: The person; nil when no person has it.
    public func person(externalUserID: String) -> EmulatedInfobipPerson? {
        self.people().first { $0.externalUserID == externalUserID }
    }

    /// Returns one person.
    ///
    /// - Parameter phone: The phone number, with or without `+`.
    /// - Returns: The person; nil when no person has it.
    public func person(phone: String) -> EmulatedInfobipPerson? {
        let digits = phone.hasPrefix("+") ? String(phone.dropFirst()) : phone
        return self.people().first { $0.phones.contains(digits) }
    }

    /// Returns one person.
    ///
    /// - Parameter email: The address, compared without regard to case.
    /// - Returns: The person; nil when no person has it.
    public func person(email: String) -> EmulatedInfobipPerson? {
        let key = InfobipPersonRules.emailKey(email)
        return self.people().first { $0.emails.contains { InfobipPersonRules.emailKey($0) == key } }
    }

    /// Returns the person of an installation.
    ///
    /// - Parameter installation: The id of the registration.
    /// - Returns: The person; nil when there is no such registration.
    public func person(of installation: String) -> EmulatedInfobipPerson? {
        self.read { $0.state.person(of: installation).map(EmulatedInfobipPerson.init) }
    }

    /// Returns the customers in the order of creation.
    public func customers() -> [EmulatedInfobipPerson] {
        self.people().filter(\.isCustomer)
    }

    /// Returns all installations by time of registration, then by id.
    public func installations() -> [EmulatedInfobipInstallation] {
        self.read { $0.state.installations.values.map(EmulatedInfobipInstallation.init) }
            .sorted { ($0.firstSeen, $0.id) < ($1.firstSeen, $1.id) }
    }

    /// Returns one installation.
    ///
    /// - Parameter id: The id of the registration.
    /// - Returns: The installation; nil when it does not exist, or no longer.
    public func installation(_ id: String) -> EmulatedInfobipInstallation? {
        self.read { $0.state.installations[id].map(EmulatedInfobipInstallation.init) }
    }

    /// Returns one installation.
    ///
    /// - Parameter universalID: `installationid` of the request that registered it.
    /// - Returns: The latest registration; nil when there is none.
    public func installation(universalID: String) -> EmulatedInfobipInstallation? {
        self.installations().last { $0.universalID == universalID }
    }

    /// Returns the events of one person, those of absorbed leads included.
    ///
    /// - Parameter number: The person's number.
    /// - Returns: The events in the order of arrival; empty when there is no such person.
    public func events(of number: Int) -> [EmulatedInfobipEvent] {
        self.read { $0.state.directory[number]?.events ?? [] }
    }

    /// Returns the events of all people in the order of arrival.
    public func events() -> [EmulatedInfobipEvent] {
        self.read { $0.state.directory.all.flatMap(\.events) }.sorted { $0.number < $1.number }
    }

    /// Returns all requests that named the application, refused ones included, in the order of arrival.
    ///
    /// Requests that faults kept from arriving, or answered in the platform's place, are not included.
    public func requests() -> [EmulatedInfobipRequest] {
        self.read { $0.requests.all }
    }

    /// Returns the requests on one route.
    ///
    /// - Parameter route: The route of the requests.
    /// - Returns: The requests in the order of arrival.
    public func requests(on route: EmulatorRoute) -> [EmulatedInfobipRequest] {
        self.requests().filter { $0.route == route }
    }
}
