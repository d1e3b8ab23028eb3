//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetCriteria
import SignetLock
public import SignetModel
import SignetTransport

public import struct FoundationEssentials.Date

/// Whether a visitor agreed that what they do is kept, and when.
public struct IterableConsent: Sendable, Hashable {
    /// When they agreed; nil when they did not.
    public let givenAt: Date?

    /// Whether they agreed.
    public var isGiven: Bool { self.givenAt != nil }
}

/// The visitor of an installation: somebody whom nobody has to know yet.
///
/// With consent, what they do is kept on disk and held against the criteria of the project. When one holds, an unknown user is
/// made, told of everything in order, and later merged into the known one. Calls return when the disk has what they say;
/// ``SignetRuntime/run()`` tells the service.
public struct IterableVisitor: Sendable {
    let core: InstallationCore

    /// Who it is as of now.
    public var state: IterableState {
        self.snapshot?.state ?? .switchedOff
    }

    /// Whether the visitor agreed, and when.
    public var consent: IterableConsent {
        IterableConsent(givenAt: self.snapshot?.consentedAt.map { Date(milliseconds: $0) })
    }

    /// What happens to the visitor, from now on.
    public var changes: Updates<IterableChange> {
        Updates<IterableChange>(self.core.services.iterableChanges, of: self.core.id)
    }

    /// Says whether the visitor agrees that what they do is kept.
    ///
    /// Said again, it changes nothing. Taken back, it removes all that the visitor did and ends an unknown user; a known user
    /// stays.
    ///
    /// - Parameter isGiven: Whether they agree.
    /// - Throws: `invalidConfiguration` where no visitors are configured; `closed`; `optOut` where the installation has
    ///   opted out, which takes consent back but gives none, and makes nobody known; `diskFull`, `diskFailed`,
    ///   `notRunning` after the end of the runtime: then nothing has changed.
    public func setTrackingConsent(_ isGiven: Bool) async throws(SignetError) {
        try await self.manager().setConsent(isGiven)
    }

    /// Something with a name happened.
    ///
    /// - Parameters:
    ///   - name: What, 1 to 255 bytes.
    ///   - fields: Its details.
    /// - Returns: Whether it was stored or is on its way.
    /// - Throws: `invalidArgument`, and as ``setConsent(_:)`` but `optOut`: the receipt says that.
    @discardableResult
    public func track(_ name: String, fields: IterableFields = [:]) async throws(SignetError) -> IterableTrackResult {
        guard !name.isEmpty, name.utf8.count <= 255 else {
            throw SignetError(.invalidArgument, "The name of a visitor's event has 1 to 255 bytes.")
        }
        let fields = try fields.json()
        return try await self.record(.customEvent(name, dataFields: fields, at: self.now))
    }

    /// The visitor bought something.
    ///
    /// - Parameters:
    ///   - items: What.
    ///   - total: For how much in all.
    ///   - fields: Details.
    ///   - campaignID: The campaign that the purchase is owed to; no criterion looks at it.
    ///   - templateID: The template of the message of that campaign.
    /// - Returns: Whether it was stored or is on its way.
    /// - Throws: `invalidArgument`, and as ``setConsent(_:)`` but `optOut`: the receipt says that.
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

    /// The visitor's cart holds other items now.
    ///
    /// - Parameter items: All that it holds.
    /// - Returns: Whether it was stored or is on its way.
    /// - Throws: `invalidArgument`, and as ``setConsent(_:)`` but `optOut`: the receipt says that.
    @discardableResult
    public func updateCart(_ items: [IterableProduct]) async throws(SignetError) -> IterableTrackResult {
        let items = try Self.json(items)
        return try await self.record(.cartUpdate(items, at: self.now))
    }

    /// The visitor told something of themselves.
    ///
    /// Until there is a user, updates are merged into one: later fields win, objects are replaced as a whole.
    ///
    /// - Parameters:
    ///   - fields: The fields.
    ///   - mergeNestedObjects: Whether the service is to take members of a user's objects over one by one; an update that is
    ///     kept until there is a user replaces them as a whole.
    /// - Returns: Whether it was stored or is on its way.
    /// - Throws: `invalidArgument`, and as ``setConsent(_:)`` but `optOut`: the receipt says that.
    @discardableResult
    public func update(
        _ fields: IterableFields,
        mergeNestedObjects: Bool = false
    ) async throws(SignetError) -> IterableTrackResult {
        guard let fields = try fields.json() else {
            throw SignetError(.invalidArgument, "An update of a visitor needs at least one field.")
        }
        return try await self.record(
            .userUpdate(fields, mergesNestedObjects: mergeNestedObjects, at: self.now)
        )
    }

    /// The device has a push token: it is registered for whoever is a user, now or later, and taken from whoever was.
    ///
    /// It is of the device, not of what a visitor does: it is kept without consent, too, and while
    /// ``IterableConfiguration/isEnabled`` is off, for whoever becomes an unknown or a known user. Consent that is taken back takes
    /// it from an unknown user.
    ///
    /// - Parameters:
    ///   - token: As the push service gave it; that of APNS in hexadecimal.
    ///   - platform: The push service: `APNS`, `APNS_SANDBOX` or `GCM`.
    /// - Returns: Whether it was stored or is on its way.
    /// - Throws: `invalidArgument`, and as ``setConsent(_:)`` but `optOut`: the receipt says that.
    @discardableResult
    public func setPushToken(
        _ token: String,
        platform: String = "APNS"
    ) async throws(SignetError) -> IterableTrackResult {
        guard !token.isEmpty, token.utf8.count <= 4096, ["APNS", "APNS_SANDBOX", "GCM"].contains(platform) else {
            throw SignetError(
                .invalidArgument,
                "A push token has 1 to 4096 bytes, and its platform is APNS, APNS_SANDBOX or GCM."
            )
        }
        return try await self.manager().setPushToken(IterablePushToken(token: token, platform: platform))
    }

    /// The app may show notifications on the device, or may not.
    ///
    /// A push token does not say so. An unknown user who is made afterwards begins as one who has opted in to the notifications
    /// of ``IterableConfiguration/applicationName``, if they are allowed; a device that is registered is told anew. Until the app
    /// has said anything, the service is told nothing of it.
    ///
    /// - Parameter areAllowed: Whether the person has allowed them to the app.
    /// - Returns: Whether it was stored or is on its way.
    /// - Throws: As ``setConsent(_:)`` but `optOut`: the receipt says that.
    @discardableResult
    public func setNotifications(areAllowed: Bool) async throws(SignetError) -> IterableTrackResult {
        try await self.manager().setNotifications(areAllowed: areAllowed)
    }

    /// Says who it is; what a visitor did is replayed, an unknown user is merged.
    ///
    /// When this returns, that is on disk and survives the death of the process. The same user again changes nothing but the
    /// token. An unknown user who is called by their own id is merged with nobody, and known from then on.
    ///
    /// - Parameters:
    ///   - id: Who.
    ///   - token: A token for them, where you have one at hand.
    ///   - resolution: What becomes of the visitor; what is nil is as configured.
    /// - Throws: `invalidArgument`, and as ``setConsent(_:)``.
    public func identify(
        _ id: IterableUserID,
        token: Secret? = nil,
        resolution: IdentityResolution = IdentityResolution()
    ) async throws(SignetError) {
        try id.validate()
        try await self.manager().identify(id, token: token?.withExposed { $0 }, resolution)
    }

    /// Says that the user has gone: what was theirs is still told as theirs, an unknown user is forgotten.
    ///
    /// - Throws: As ``setConsent(_:)`` but `optOut`.
    public func logout() async throws(SignetError) {
        try await self.manager().logout()
    }

    /// Gives the known user another address.
    ///
    /// - Parameter email: The address.
    /// - Throws: `noUser` when nobody is known; `invalidArgument`, and as ``setConsent(_:)``.
    public func updateEmail(_ email: String) async throws(SignetError) {
        try IterableUserID.email(email).validate()
        try await self.manager().changeEmail(email)
    }

    /// Asks for no more tokens until ``resumeTokens()``, a token that is given with a call, or another user.
    ///
    /// - Throws: As ``setConsent(_:)`` but `optOut`.
    public func pauseTokens() async throws(SignetError) {
        try await self.manager().setTokens(arePaused: true)
    }

    /// Asks for tokens again.
    ///
    /// - Throws: As ``setConsent(_:)`` but `optOut`.
    public func resumeTokens() async throws(SignetError) {
        try await self.manager().setTokens(arePaused: false)
    }

    /// Waits until everything is told, or cannot be told before a pause is over.
    ///
    /// - Throws: As ``setConsent(_:)`` but `optOut`; `notRunning` where nobody runs the runtime, `cancelled`.
    public func waitUntilIdle() async throws(SignetError) {
        let manager = try self.manager()
        let services = manager.services
        switch await services.lifecycle.readiness(within: services.configuration.requestTimeout, on: services.time) {
        case .ready: break
        case .notRunning: throw .notRunning
        case .cancelled: throw .cancelled
        }
        await manager.resume()
        await manager.services.criteria.untilFetched()
        await manager.untilSettled()
    }

    // MARK: - Inside

    private var now: Int64 { self.core.services.time.milliseconds / 1000 }

    private func record(_ record: IterableRecord) async throws(SignetError) -> IterableTrackResult {
        guard record.line.count <= Self.maximumSize else {
            throw SignetError(
                .invalidArgument,
                "A record of a visitor has more than \(Self.maximumSize) bytes of JSON."
            )
        }
        return try await self.manager().record(record)
    }

    /// The most bytes of a record.
    static let maximumSize = 64 * 1024

    private static func json(_ items: [IterableProduct]) throws(SignetError) -> [JSONObject] {
        var objects: [JSONObject] = []
        for item in items { objects.append(try item.json()) }
        return objects
    }

    private func manager() throws(SignetError) -> IterableManager {
        guard self.core.phase == .open else { throw .closed }
        return try self.core.iterableManager()
    }

    private var snapshot: IterableManager.Snapshot? {
        guard self.core.services.iterable != nil else { return nil }
        do throws(SignetError) {
            return try self.core.iterableManager().snapshot.withLock { $0 }
        } catch {
            self.core.services.reportDamage("The visitor of an installation cannot be read: \(error.message)")
            return nil
        }
    }
}
