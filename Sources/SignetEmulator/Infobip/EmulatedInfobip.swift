// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A handle to one application of Infobip's API, to inspect and change it while the platform runs.
///
/// ```swift
/// let infobip = emulator.infobip
/// infobip.configure { $0.requiresTokens = true }
/// // ... and after the log-in
/// let person = infobip.person(externalUserID: "crm-7")
/// ```
///
/// All handles to an application share its state. It may be used from any task.
public struct EmulatedInfobip: Sendable {
    /// The application code.
    public let code: String
    private let emulator: Emulator

    init(_ code: String, of emulator: Emulator) {
        self.code = code
        self.emulator = emulator
    }

    /// The current settings.
    public var application: EmulatedInfobipApplication {
        self.read { $0.application }
    }

    /// Changes the settings for later requests.
    ///
    /// - Parameter body: Changes the settings, at once and under a lock; the code stays.
    public func configure(_ body: (inout EmulatedInfobipApplication) -> Void) {
        self.emulator.withInfobip(self.code) { (handler, _) in handler.change(body) }
    }

    /// Ends a registration, as the service does for a dead push token; later requests get `NO_REGISTRATION`.
    ///
    /// - Parameter id: The id of the registration.
    /// - Returns: True if the registration existed.
    @discardableResult
    public func expireInstallation(_ id: String) -> Bool {
        self.emulator.withInfobip(self.code) { (handler, _) in
            let isThere = handler.state.installations[id] != nil
            handler.act { $0.expire(id) }
            return isThere
        }
    }

    /// Creates a person without installations, as the portal does.
    ///
    /// - Parameters:
    ///   - externalUserID: The external id, if any.
    ///   - phones: The numbers.
    ///   - emails: The addresses.
    ///   - isCustomer: True for a customer, false for a lead.
    /// - Returns: The person's number; nil when the identity is invalid, empty, or belongs to another person.
    @discardableResult
    public func makePerson(
        externalUserID: String? = nil,
        phones: [String] = [],
        emails: [String] = [],
        isCustomer: Bool = true
    ) -> Int? {
        let value: JSONValue = [
            "externalUserId": externalUserID.map(JSONValue.string) ?? .null,
            "phones": .array(phones.map { ["number": .string($0)] }),
            "emails": .array(emails.map { ["address": .string($0)] }),
        ]
        return self.emulator.withInfobip(self.code) { (handler, now) in
            do throws(Refusal) {
                let identity = try InfobipPersonIdentity(value)
                return try handler.act { state throws(Refusal) in
                    try state.makePerson(identity, isCustomer: isCustomer, at: now)
                }
            } catch {
                return nil
            }
        }
    }

    /// Changes a person, as the portal does.
    ///
    /// - Parameters:
    ///   - number: The person's number.
    ///   - json: The changes, in the format of the body of `PATCH …/user`.
    /// - Returns: True if the person changed; false if it does not exist or the service would refuse the change.
    @discardableResult
    public func updatePerson(_ number: Int, _ json: String) -> Bool {
        self.emulator.withInfobip(self.code) { (handler, _) in
            do {
                let value = try JSONReader.read(Array(json.utf8))
                let fields = try InfobipPersonFields(change: value, lists: handler.application.listAttributes)
                try handler.act { state throws(Refusal) in try state.updatePerson(number, fields) }
                return true
            } catch {
                return false
            }
        }
    }

    /// Signs a token as an app's server does.
    ///
    /// - Parameters:
    ///   - subject: The user of the token, `sub`.
    ///   - lifetime: The lifetime from the platform's current time, in whole seconds.
    /// - Returns: The token, signed with the current secret; a change of the secret invalidates it.
    public func signToken(for subject: String, lifetime: Duration = .seconds(3600)) -> String {
        self.emulator.withInfobip(self.code) { (handler, now) in
            let issued = now / 1000
            let expiry = issued.addingReportingOverflow(lifetime.components.seconds)
            return InfobipToken.sign(
                subject: subject,
                issued: issued,
                expiry: expiry.overflow ? .max : expiry.partialValue,
                secret: handler.application.secret
            )
        }
    }

    func read<Result>(_ body: (InfobipRequestHandler) -> Result) -> Result {
        self.emulator.withInfobip(self.code) { (handler, _) in body(handler) }
    }
}

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
