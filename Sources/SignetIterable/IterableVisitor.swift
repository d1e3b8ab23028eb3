// SPDX-License-Identifier: Apache-2.0

public import Signet
import SignetCriteria
import SignetLock
public import SignetModel
import SignetTransport

public import struct FoundationEssentials.Date

extension IterableVisitor {
    /// The visitor's consent to keep what they do, and its time.
    public struct Consent: Sendable, Hashable {
        /// The time of the consent; nil if they did not agree.
        public let givenAt: Date?

        /// True if they agreed.
        public var isGiven: Bool { self.givenAt != nil }
    }
}

/// The visitor of an installation: a person Iterable may not know yet.
///
/// With consent, the visitor's records are kept on disk and checked against the criteria of the project. Once a
/// criterion matches, an unknown user is created, receives all records in order, and is later merged into the known
/// user. While the installation has opted out, unsent records are dropped and counted (``IterableDropCause/optedOut``),
/// and new ones are ignored. A known user stays known; a merge, a consent or a push token waits for the opt-in.
///
/// Calls return after the data is on disk; `SignetRuntime.run()` sends it to Iterable.
public struct IterableVisitor: Sendable {
    let installation: Installation

    /// The visitor's current state.
    public var state: IterableVisitor.State {
        self.snapshot?.state ?? .switchedOff
    }

    /// The visitor's consent and its time.
    public var consent: IterableVisitor.Consent {
        IterableVisitor.Consent(givenAt: self.snapshot?.consentedAt.map { Date(milliseconds: $0) })
    }

    /// Sets the visitor's consent to keep what they do.
    ///
    /// The same value again changes nothing. Withdrawal removes all of the visitor's records and ends an unknown user;
    /// a known user stays.
    ///
    /// - Parameter isGiven: True if they agree.
    /// - Throws: `serviceNotConfigured` if the runtime was not given ``IterableService``; `closed`. `optedOut` if the
    ///   installation has opted out: consent can be withdrawn then, but neither given nor a user made known.
    ///   `diskFull`, `diskFailed`, `notRunning` after the end of the runtime: nothing has changed.
    public func setTrackingConsent(_ isGiven: Bool) async throws(SignetError) {
        try await self.manager().setConsent(isGiven)
    }

    /// Tracks a custom event.
    ///
    /// - Parameters:
    ///   - name: The event's name, 1 to 255 bytes, not only blanks.
    ///   - fields: The event's data fields.
    /// - Returns: The outcome: buffered, queued or ignored.
    /// - Throws: `invalidArgument`, and as ``setTrackingConsent(_:)`` except `optedOut`, which the result reports.
    @discardableResult
    public func track(_ name: String, fields: IterableFields = [:]) async throws(SignetError) -> IterableTrackResult {
        guard !SettingTextFault.isBlank(name), name.utf8.count <= 255 else {
            throw SignetError(
                .invalidArgument,
                "The name of an Iterable event must have 1 to 255 bytes, not only blanks."
            )
        }
        let fields = try fields.json()
        return try await self.record(.customEvent(name, dataFields: fields, at: self.now))
    }

    /// Tracks a purchase of the visitor.
    ///
    /// - Parameters:
    ///   - items: The purchased items.
    ///   - total: The total price.
    ///   - fields: The purchase's data fields.
    ///   - campaignID: The campaign that the purchase is attributed to; no criterion uses it.
    ///   - templateID: The template of the message of that campaign.
    /// - Returns: The outcome: buffered, queued or ignored.
    /// - Throws: `invalidArgument`, and as ``setTrackingConsent(_:)`` except `optedOut`, which the result reports.
    @discardableResult
    public func purchase(
        _ items: [IterableProduct],
        total: Double,
        fields: IterableFields = [:],
        campaignID: Int64? = nil,
        templateID: Int64? = nil
    ) async throws(SignetError) -> IterableTrackResult {
        guard let total = JSONNumber(total) else {
            throw SignetError(.invalidArgument, "The total of a purchase is not a finite number.")
        }
        let (items, fields) = (try Self.json(items), try fields.json())
        let record = IterableRecord.purchase(
            items,
            total: total,
            dataFields: fields,
            campaign: campaignID,
            template: templateID,
            at: self.now
        )
        return try await self.record(record)
    }

    /// Replaces the items of the visitor's cart.
    ///
    /// - Parameter items: All items in the cart.
    /// - Returns: The outcome: buffered, queued or ignored.
    /// - Throws: `invalidArgument`, and as ``setTrackingConsent(_:)`` except `optedOut`, which the result reports.
    @discardableResult
    public func updateCart(_ items: [IterableProduct]) async throws(SignetError) -> IterableTrackResult {
        let items = try Self.json(items)
        return try await self.record(.cartUpdate(items, at: self.now))
    }

    /// Updates the visitor's profile fields.
    ///
    /// Until there is a user, updates are merged into one: later fields win, objects are replaced as a whole.
    ///
    /// - Parameters:
    ///   - fields: The fields.
    ///   - mergeNestedObjects: True if Iterable merges a user's nested objects member by member; an update that is kept
    ///     until there is a user replaces them as a whole.
    /// - Returns: The outcome: buffered, queued or ignored.
    /// - Throws: `invalidArgument`, and as ``setTrackingConsent(_:)`` except `optedOut`, which the result reports.
    @discardableResult
    public func update(
        _ fields: IterableFields,
        mergeNestedObjects: Bool = false
    ) async throws(SignetError) -> IterableTrackResult {
        guard let fields = try fields.json() else {
            throw SignetError(.invalidArgument, "An update of an Iterable visitor needs at least one field.")
        }
        return try await self.record(
            .userUpdate(fields, mergesNestedObjects: mergeNestedObjects, at: self.now)
        )
    }

    /// Sets the device's push token: it is registered for the current or next user, and removed from the previous one.
    ///
    /// The token belongs to the device, not to the visitor's records. It is kept for the next unknown or known user,
    /// also without consent and while ``IterableConfiguration/isEnabled`` is off. Withdrawal of consent removes it from
    /// an unknown user.
    ///
    /// - Parameter token: The token of the push service: `apns`, `apnsSandbox`, `firebase` or `gcm`.
    /// - Returns: The outcome: buffered, queued or ignored.
    /// - Throws: `invalidArgument`, and as ``setTrackingConsent(_:)`` except `optedOut`, which the result reports.
    @discardableResult
    public func setPushToken(_ token: PushToken) async throws(SignetError) -> IterableTrackResult {
        let text = token.token.withExposed { $0 }
        guard let platform = token.service.iterableName, !text.isEmpty, text.utf8.count <= 4096 else {
            throw SignetError(
                .invalidArgument,
                "A push token must have 1 to 4096 bytes and the service apns, apnsSandbox, firebase or gcm."
            )
        }
        return try await self.manager().setPushToken(IterablePushToken(token: text, platform: platform))
    }

    /// Sets whether the app may show notifications on the device.
    ///
    /// A push token does not imply it. If they are allowed, an unknown user created afterwards begins as opted in to
    /// the notifications of ``IterableConfiguration/applicationName``. A registered device is registered again. Before
    /// the first call, nothing about it is sent to Iterable.
    ///
    /// - Parameter areAllowed: True if the person has allowed notifications for the app.
    /// - Returns: The outcome: buffered, queued or ignored.
    /// - Throws: As ``setTrackingConsent(_:)`` except `optedOut`, which the result reports.
    @discardableResult
    public func setNotifications(areAllowed: Bool) async throws(SignetError) -> IterableTrackResult {
        try await self.manager().setNotifications(areAllowed: areAllowed)
    }

    /// Identifies the visitor as a known user: records are replayed, an unknown user is merged.
    ///
    /// The change is on disk before this returns, and survives the death of the process. The same user again changes
    /// only the token. An unknown user identified by their own id is not merged, and is known from then on. While a
    /// change of the address waits (``updateEmail(_:)``), any name is that of another user, because Iterable may refuse
    /// the change.
    ///
    /// - Parameters:
    ///   - id: The user's id.
    ///   - token: A token of the user, if you have one at hand.
    ///   - resolution: The treatment of the visitor; nil values are as configured.
    /// - Throws: `invalidArgument`, and as ``setTrackingConsent(_:)``.
    public func identify(
        _ id: IterableUserID,
        token: Secret? = nil,
        resolution: IdentityResolution = IdentityResolution()
    ) async throws(SignetError) {
        try id.validate()
        try await self.manager().identify(id, token: token?.withExposed { $0 }, resolution)
    }

    /// Logs the user out: their unsent records are still sent as theirs, an unknown user is forgotten.
    ///
    /// - Throws: As ``setTrackingConsent(_:)`` except `optedOut`.
    public func logout() async throws(SignetError) {
        try await self.manager().logout()
    }

    /// Changes the known user's e-mail address.
    ///
    /// - Parameter email: The address.
    /// - Throws: `noUser` without a known user; `invalidArgument`, and as ``setTrackingConsent(_:)``.
    public func updateEmail(_ email: String) async throws(SignetError) {
        try IterableUserID.email(email).validate()
        try await self.manager().changeEmail(email)
    }

    /// Stops requesting tokens until ``resumeTokens()``, a call with a token, or another user.
    ///
    /// The pause is kept on disk, so a restart does not end it. Without a user it holds for the next one.
    ///
    /// - Throws: As ``setTrackingConsent(_:)`` except `optedOut`.
    public func pauseTokens() async throws(SignetError) {
        try await self.manager().setTokens(arePaused: true)
    }

    /// Requests tokens again.
    ///
    /// - Throws: As ``setTrackingConsent(_:)`` except `optedOut`.
    public func resumeTokens() async throws(SignetError) {
        try await self.manager().setTokens(arePaused: false)
    }

    /// Waits until everything is sent, or cannot be sent before a pause is over.
    ///
    /// - Throws: As ``setTrackingConsent(_:)`` except `optedOut`; `notRunning` if `run()` is not active, `cancelled`.
    public func waitUntilIdle() async throws(SignetError) {
        let manager = try self.manager()
        let services = manager.adapter.services
        try await services.context.awaitRun(within: services.configuration.requestTimeout)
        await manager.resume()
        await services.criteria.untilFetched()
        await manager.untilSettled()
    }

    // MARK: - Inside

    private var now: Int64 { self.installation.now / 1000 }

    private func record(_ record: IterableRecord) async throws(SignetError) -> IterableTrackResult {
        let record = try record.withinLimits()
        return try await self.manager().record(record)
    }

    private static func json(_ items: [IterableProduct]) throws(SignetError) -> [JSONObject] {
        var objects: [JSONObject] = []
        for item in items { objects.append(try item.json()) }
        return objects
    }

    func manager() throws(SignetError) -> IterableManager {
        guard self.installation.home.isOpen else { throw .closed }
        return try self.service().manager(of: self.installation.home)
    }

    private func service() throws(SignetError) -> IterableServices {
        try self.installation.linked.find(IterableServices.self, named: "Iterable")
    }

    private var snapshot: IterableAdapter.Snapshot? {
        // Without the service there is no visitor; every call says so.
        do throws(SignetError) {
            return try self.service().snapshot(of: self.installation.home)
        } catch {
            return nil
        }
    }
}

extension PushToken.Service {
    /// Iterable's name for the push service; nil for one that it has no name for.
    fileprivate var iterableName: String? {
        switch self {
        case .apns: "APNS"
        case .apnsSandbox: "APNS_SANDBOX"
        case .firebase, .gcm: "GCM"
        case .hms: nil
        }
    }
}
