// SPDX-License-Identifier: Apache-2.0

public import Signet
import SignetModel
import SignetWire

extension InfobipProfile {
    /// Fetches the person from Infobip; unsent local changes stay.
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
    /// - Parameter changes: The changes; phones are 5 to 15 digits with an optional `+`, e-mail addresses have one `@`
    ///   and no control characters, an external id is not "null".
    /// - Returns: `done`, or `pending` before there is a registration, beside a personalize or depersonalize that is
    ///   not done yet, and when Infobip cannot be reached. Changes without effect are not sent.
    /// - Throws: `rejected`: the rejected changes are dropped. If the answer names some of them, only those are dropped,
    ///   and the others are sent again: phones, addresses and external id if they belong to another person
    ///   (`USER_MERGE_INTERRUPTED`), phones (`PHONE_INVALID`), addresses (`EMAIL_INVALID`). `tokenUnavailable`, `unauthorized`: the changes are kept and retried.
    ///   See ``InfobipProfile``.
    @discardableResult
    public func saveUser(_ changes: InfobipUserChanges) async throws(SignetError) -> InfobipSaveResult {
        if let error = SignetError(InfobipLimits.violations(of: changes, known: self.user)) { throw error }
        return try await self.perform(.saveUser(changes))
    }

    /// Stores changes of the person without waiting for Infobip; works without `run()`.
    ///
    /// The changes are stored before this returns, and sent as soon as possible. `Installation.infobipUpdates()` reports the outcome.
    ///
    /// - Parameter changes: As of ``saveUser(_:)``.
    /// - Returns: `pending`; `done` for changes without effect. If another installation logs the person out before they
    ///   are sent, they wait for the person's return.
    /// - Throws: See ``InfobipProfile``.
    @discardableResult
    public func persistUser(_ changes: InfobipUserChanges) async throws(SignetError) -> InfobipSaveResult {
        if let error = SignetError(InfobipLimits.violations(of: changes, known: self.user)) { throw error }
        return try await self.manager().keep(.saveUser(changes))
    }

    /// Assigns the installation to a person.
    ///
    /// A lead becomes a customer, or is merged into the customer that the identity matches. If there was no answer, or
    /// Infobip has rejected the registration, it is pending although this throws: it is repeated until Infobip has
    /// answered, and saves wait behind it. It is newer than the changes that waited before it.
    ///
    /// - Parameters:
    ///   - identity: The person's identity; omitted parts stay as they are.
    ///   - attributes: The person's attributes; they replace those at Infobip.
    ///   - forceDepersonalize: True to depersonalize the installation first, for a change of person. There is one
    ///     attempt to send the previous person's changes and events; the rest waits for that person's return. The
    ///     installation's attributes and primary flag are removed with that person. If this throws anything but
    ///     `rejected`, it is not repeated, and the installation is depersonalized.
    ///   - keepAsLead: True to keep a lead a lead.
    ///   - setDeviceAsPrimary: True to make the installation the person's primary one.
    /// - Returns: The person.
    /// - Throws: `rejected` with `USER_MERGE_INTERRUPTED`, `AMBIGUOUS_PERSONALIZE_CANDIDATES`,
    ///   `PERSONALIZATION_IMPOSSIBLE` and others: nothing has changed. The last one also without a request, if the person
    ///   has another external id and `forceDepersonalize` is false. `identityUndetermined` if a later call goes in its
    ///   place. See ``InfobipProfile``.
    @discardableResult
    public func personalize(
        _ identity: InfobipIdentity,
        attributes: InfobipAttributes? = nil,
        forceDepersonalize: Bool = false,
        keepAsLead: Bool = false,
        setDeviceAsPrimary: Bool = false
    ) async throws(SignetError) -> InfobipUser {
        if let error = SignetError(InfobipLimits.violations(of: identity, attributes)) { throw error }
        var options: InfobipRoute.PersonalizeOptions = []
        if forceDepersonalize { options.insert(.forceDepersonalize) }
        if keepAsLead { options.insert(.keepAsLead) }
        if setDeviceAsPrimary { options.insert(.setDeviceAsPrimary) }
        _ = try await self.perform(
            .personalize(.init(identity: identity, attributes: attributes, options: options))
        )
        return self.user
    }

    /// Detaches the person from the installation.
    ///
    /// The person is removed here immediately, with the installation's custom attributes and primary flag. There is
    /// one attempt to send the saved changes and events of the person; the rest waits for that person's return.
    ///
    /// Until it is done, push messages may still be meant for that person. An app that can do so ends its push
    /// registration while ``isDepersonalizationPending``, and resumes it at ``InfobipUpdate/Kind/depersonalized``.
    ///
    /// - Returns: `done`, or `pending` if Infobip has not done it yet. It is then retried until it is done; fetches of a person
    ///   are refused until then, and saves wait for the next person.
    /// - Throws: `notRegistered`: the person is removed here all the same; see
    ///   ``InfobipProfile``.
    @discardableResult
    public func depersonalize() async throws(SignetError) -> InfobipSaveResult {
        try await self.perform(.depersonalize)
    }
}
