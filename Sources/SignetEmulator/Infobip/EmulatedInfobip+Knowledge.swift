//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

// What an application knows now, for a test to look at.
extension EmulatedInfobip {
    /// All people, leads that nothing is known of too, in the order in which they were made.
    public func people() -> [EmulatedInfobipPerson] {
        self.read { $0.state.directory.all.map(EmulatedInfobipPerson.init) }
    }

    /// One person.
    ///
    /// - Parameter number: What tells it from others.
    /// - Returns: Nil when there is none, or none any more.
    public func person(_ number: Int) -> EmulatedInfobipPerson? {
        self.read { $0.state.directory[number].map(EmulatedInfobipPerson.init) }
    }

    /// One person.
    ///
    /// - Parameter externalUserID: The external id.
    /// - Returns: Nil when nobody has it.
    public func person(externalUserID: String) -> EmulatedInfobipPerson? {
        self.people().first { $0.externalUserID == externalUserID }
    }

    /// One person.
    ///
    /// - Parameter phone: A number, with or without `+`.
    /// - Returns: Nil when nobody has it.
    public func person(phone: String) -> EmulatedInfobipPerson? {
        let digits = phone.hasPrefix("+") ? String(phone.dropFirst()) : phone
        return self.people().first { $0.phones.contains(digits) }
    }

    /// One person.
    ///
    /// - Parameter email: An address, in capitals or not.
    /// - Returns: Nil when nobody has it.
    public func person(email: String) -> EmulatedInfobipPerson? {
        let key = InfobipPersonRules.emailKey(email)
        return self.people().first { $0.emails.contains { InfobipPersonRules.emailKey($0) == key } }
    }

    /// The person of an installation.
    ///
    /// - Parameter installation: The registration.
    /// - Returns: Nil when there is no such registration.
    public func person(of installation: String) -> EmulatedInfobipPerson? {
        self.read { $0.state.person(of: installation).map(EmulatedInfobipPerson.init) }
    }

    /// The customers, in the order in which they were made.
    public func customers() -> [EmulatedInfobipPerson] {
        self.people().filter(\.isCustomer)
    }

    /// All installations, in the order in which they were registered; of one moment, by their ids.
    public func installations() -> [EmulatedInfobipInstallation] {
        self.read { $0.state.installations.values.map(EmulatedInfobipInstallation.init) }
            .sorted { ($0.firstSeen, $0.id) < ($1.firstSeen, $1.id) }
    }

    /// One installation.
    ///
    /// - Parameter id: The registration.
    /// - Returns: Nil when there is no such registration, or none any more.
    public func installation(_ id: String) -> EmulatedInfobipInstallation? {
        self.read { $0.state.installations[id].map(EmulatedInfobipInstallation.init) }
    }

    /// One installation.
    ///
    /// - Parameter universalID: `installationid` of the request that registered it.
    /// - Returns: The one that was registered last; nil when there is none.
    public func installation(universalID: String) -> EmulatedInfobipInstallation? {
        self.installations().last { $0.universalID == universalID }
    }

    /// The events of one person, those of leads that it was among them.
    ///
    /// - Parameter number: Of the person.
    /// - Returns: In the order of arrival; empty when there is no such person.
    public func events(of number: Int) -> [EmulatedInfobipEvent] {
        self.read { $0.state.directory[number]?.events ?? [] }
    }

    /// The events of all people, in the order of arrival.
    public func events() -> [EmulatedInfobipEvent] {
        self.read { $0.state.directory.all.flatMap(\.events) }.sorted { $0.number < $1.number }
    }

    /// All requests that named the application, in the order of arrival, refused ones too.
    ///
    /// Those that faults kept from arriving, or refused in the platform's place, are not among them.
    public func requests() -> [EmulatedInfobipRequest] {
        self.read { $0.requests.all }
    }

    /// The requests of one kind.
    ///
    /// - Parameter route: What they asked for.
    /// - Returns: In the order of arrival.
    public func requests(on route: EmulatorRoute) -> [EmulatedInfobipRequest] {
        self.requests().filter { $0.route == route }
    }
}
