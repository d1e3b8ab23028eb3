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
