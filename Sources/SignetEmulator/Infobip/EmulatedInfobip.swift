//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// One application of Infobip's API, to be looked at and changed while the platform runs.
///
/// ```swift
/// let people = emulator.people
/// people.configure { $0.requiresTokens = true }
/// // ... and after the log-in
/// let person = people.person(externalUserID: "crm-7")
/// ```
///
/// It is a handle; all handles of an application show the same. It may be used from any task.
public struct EmulatedInfobip: Sendable {
    /// The application code.
    public let code: String
    private let emulator: Emulator

    init(_ code: String, of emulator: Emulator) {
        self.code = code
        self.emulator = emulator
    }

    /// The rules of now.
    public var application: EmulatedInfobipApplication {
        self.read { $0.application }
    }

    /// Changes the rules; requests that come later meet them.
    ///
    /// - Parameter body: Changes them, at once and under a lock; the code stays.
    public func configure(_ body: (inout EmulatedInfobipApplication) -> Void) {
        self.emulator.withInfobip(self.code) { (handler, _) in handler.change(body) }
    }

    /// Ends a registration, as the service does when a push token has died: `NO_REGISTRATION` from now on.
    ///
    /// - Parameter id: The registration.
    /// - Returns: Whether there was such a one.
    @discardableResult
    public func expireInstallation(_ id: String) -> Bool {
        self.emulator.withInfobip(self.code) { (handler, _) in
            let isThere = handler.state.installations[id] != nil
            handler.act { $0.expire(id) }
            return isThere
        }
    }

    /// Makes a person without installations, as the portal does.
    ///
    /// - Parameters:
    ///   - externalUserID: The external id, if any.
    ///   - phones: The numbers.
    ///   - emails: The addresses.
    ///   - isCustomer: Whether it is a customer; if not, a lead.
    /// - Returns: Its number; nil when what it is to have is wrong, nothing, or another's.
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
    ///   - number: Of the person.
    ///   - json: As the body of `PATCH …/user`.
    /// - Returns: Whether it was changed: not when there is no such person, or the service would refuse the change.
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

    /// Signs a token as the server of an app does.
    ///
    /// - Parameters:
    ///   - subject: Whom it is for, `sub`.
    ///   - lifetime: From the platform's time of now; whole seconds.
    /// - Returns: The token, signed with the secret of now: after a change of it, the token is invalid.
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
