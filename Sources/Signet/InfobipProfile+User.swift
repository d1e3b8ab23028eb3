//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel
import SignetWire

extension InfobipProfile {
    /// Asks the service for the person; what was saved here and not sent yet stays.
    ///
    /// - Returns: The person.
    /// - Throws: `depersonalizationPending`; see ``InfobipProfile``.
    @discardableResult
    public func fetchUser() async throws(SignetError) -> InfobipUser {
        _ = try await self.perform(.fetchUser)
        return self.user
    }

    /// Changes the person.
    ///
    /// - Parameter changes: What is to change; phones are 5 to 15 digits with an optional `+`, e-mail addresses have one `@`
    ///   and no control characters, an external id is not "null".
    /// - Returns: `done`, or `pending` before there is a registration and when the service cannot be reached. What changes
    ///   nothing is not sent.
    /// - Throws: `refused`: then the refused changes are dropped. Where the refusal names some of them, only those are, and
    ///   the others are sent again: phones, addresses and external id when these are another person's
    ///   (`USER_MERGE_INTERRUPTED`), phones (`PHONE_INVALID`), addresses (`EMAIL_INVALID`). `depersonalizationPending`,
    ///   `identityUndetermined`: then nothing is kept. `tokenUnavailable`, `unauthorized`: the changes are kept and tried again
    ///   all the same. See ``InfobipProfile``.
    @discardableResult
    public func saveUser(_ changes: InfobipUserChanges) async throws(SignetError) -> InfobipSaveResult {
        if let error = SignetError(InfobipLimits.violations(of: changes)) { throw error }
        return try await self.perform(.saveUser(changes))
    }

    /// Changes the person without waiting for the service, also where nobody runs the runtime.
    ///
    /// When this returns, the changes are kept; they are sent as soon as they can be. What becomes of them is told by
    /// ``changes``.
    ///
    /// - Parameter changes: As of ``saveUser(_:)``.
    /// - Returns: `pending`; `done` for what changes nothing. Where another installation logs the person out before it was
    ///   sent, it is given up and counted (``SignetStatistics/infobipChangesDropped``), and the observer hears of it.
    /// - Throws: `depersonalizationPending`, `identityUndetermined`: then nothing was stored. See ``InfobipProfile``.
    @discardableResult
    public func persistUser(_ changes: InfobipUserChanges) async throws(SignetError) -> InfobipSaveResult {
        if let error = SignetError(InfobipLimits.violations(of: changes)) { throw error }
        return try await self.manager().keep(.saveUser(changes))
    }

    /// Says whose the installation is.
    ///
    /// A lead becomes a customer, or part of one that the identity is true of. A failure leaves everything here as it was;
    /// when there was no answer, the service is asked who it is, and what waited of what this says is dropped where it has
    /// happened. Where somebody with another external id was known, whom another installation has logged out, what waited for
    /// them is dropped.
    ///
    /// - Parameters:
    ///   - identity: Who; what is left out stays as it is.
    ///   - attributes: What is told of them; takes the place of what the service has.
    ///   - forceDepersonalize: Whether the installation is made nobody's first, for when it is somebody else's. What was
    ///     saved for that person and told of them is sent before; the attributes and the primary flag of the installation
    ///     go with them, and those that wait are dropped. From the call until it is known who the person is, saves of
    ///     persons throw `identityUndetermined`.
    ///   - keepAsLead: Whether a lead stays one.
    ///   - setDeviceAsPrimary: Whether the installation becomes the primary one of the person.
    /// - Returns: The person.
    /// - Throws: `refused` with `USER_MERGE_INTERRUPTED`, `AMBIGUOUS_PERSONALIZE_CANDIDATES`, `PERSONALIZATION_IMPOSSIBLE` and
    ///   others; see ``InfobipProfile``.
    @discardableResult
    public func personalize(
        _ identity: InfobipIdentity,
        attributes: InfobipAttributes? = nil,
        forceDepersonalize: Bool = false,
        keepAsLead: Bool = false,
        setDeviceAsPrimary: Bool = false
    ) async throws(SignetError) -> InfobipUser {
        if let error = SignetError(InfobipLimits.violations(of: identity, attributes)) { throw error }
        let options = InfobipRoute.PersonalizeOptions(
            forceDepersonalize: forceDepersonalize,
            keepAsLead: keepAsLead,
            setDeviceAsPrimary: setDeviceAsPrimary
        )
        _ = try await self.perform(
            .personalize(.init(identity: identity, attributes: attributes, options: options))
        )
        return self.user
    }

    /// Makes the installation nobody's.
    ///
    /// The person is forgotten here at once, with the custom attributes of the installation and whether it is primary. What
    /// was saved for the person and told of them is sent before, unless the registration was lost and has not been made good yet:
    /// then that is given up, and so is what a lost registration is still owed.
    ///
    /// Until it is done, push messages may still be meant for that person: an app that can do so ends its push registration
    /// while ``isDepersonalizationPending``, and takes it up again at ``InfobipUpdate/Kind/depersonalized``.
    ///
    /// - Returns: `done`, or `pending` when the service has not done it yet: then it is tried again, and saves and fetches of
    ///   a person are refused until it is done. After the service has refused it three times it is given up: the person is
    ///   whoever a fetch finds, and events of the time between are told of nobody.
    /// - Throws: `notRegistered`: the person is forgotten here all the same; `refused`, when it was given up; see
    ///   ``InfobipProfile``.
    @discardableResult
    public func depersonalize() async throws(SignetError) -> InfobipSaveResult {
        try await self.perform(.depersonalize)
    }
}
