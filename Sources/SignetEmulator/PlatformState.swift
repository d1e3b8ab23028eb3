// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import struct SignetModel.MPID

/// The platform's state, and the changes that each request makes.
///
/// It has no lock, clock or HTTP: ``Emulator`` reads requests, holds the lock and supplies the time.
struct PlatformState: Sendable {
    private(set) var users = UserStore()
    private(set) var eventHandler: EventRequestHandler
    private(set) var aliasHandler: AliasRequestHandler
    private(set) var received: [EmulatorRoute: Int] = [:]
    private var identityHandler: IdentityRequestHandler
    private var contexts = 0
    private let ephemeralRule: EphemeralRule

    init(_ configuration: EmulatorConfiguration) {
        self.identityHandler = IdentityRequestHandler(configuration)
        self.aliasHandler = AliasRequestHandler(configuration)
        self.eventHandler = EventRequestHandler(keeping: configuration.keptEvents)
        self.ephemeralRule = configuration.ephemeralRule
    }

    mutating func count(_ route: EmulatorRoute) {
        self.received[route, default: 0] += 1
    }

    func user(_ profile: UserRecord) -> EmulatedUser {
        EmulatedUser(profile, isKnown: self.identityHandler.rules.isKnown(profile))
    }

    /// Carries out the due aliases.
    ///
    /// It runs before any other access, so that an event that arrives later is not copied.
    mutating func advance(to now: Int64) {
        for alias in self.aliasHandler.takeDue(at: now) {
            let request = alias.request
            self.eventHandler.copy(alias.window, from: request.source, to: request.destination)
            guard let firstSeen = self.users[request.source]?.firstSeen else { continue }
            self.users.update(request.destination) { $0.firstSeen = firstSeen }
        }
    }

    /// Carries out identify, login, logout or search, depending on the route.
    mutating func resolve(
        _ request: IdentityRequest,
        by route: EmulatorRoute,
        at now: Int64
    ) throws(Refusal) -> TransportResponse {
        let resolution =
            switch route {
            case .login: try self.identityHandler.login(request, in: &self.users, at: now)
            case .logout: try self.identityHandler.logout(request, in: &self.users, at: now)
            case .search: try self.identityHandler.search(request, in: self.users)
            default: try self.identityHandler.identify(request, in: &self.users, at: now)
            }
        self.contexts += 1
        return IdentityAnswer.resolved(
            resolution,
            context: IdentityAnswer.context(number: self.contexts),
            isEphemeral: self.ephemeralRule.isEphemeral(isKnown: resolution.isKnown),
            returnsMatches: request.returnsMatches
        )
    }

    mutating func modify(_ request: ModifyRequest, at now: Int64) throws(Refusal) -> TransportResponse {
        IdentityAnswer.modified(try self.identityHandler.modify(request, in: &self.users, at: now))
    }

    mutating func alias(_ request: AliasRequest, at now: Int64) throws(Refusal) -> TransportResponse {
        try self.aliasHandler.accept(request, users: self.users, at: now)
        return TransportResponse(status: 202)
    }

    /// Stores a new batch, or counts a repetition.
    mutating func take(_ batch: BatchRequest, at now: Int64) throws(Refusal) {
        if self.eventHandler.recognise(batch) != nil {
            return
        }
        let mpid = try self.owner(of: batch, at: now)
        self.users.update(mpid) { profile in
            profile.lastSeen = now
            // Deletions come first, so that the values of the batch win.
            for name in batch.json["deleted_user_attributes"]?.array ?? [] {
                name.string.map { profile.attributes[$0] = nil }
            }
            for (key, value) in batch.json["user_attributes"]?.object ?? JSONObject() {
                profile.attributes[key] = value
            }
            if let consent = batch.json["consent_state"]?.object { profile.consent = consent }
            for event in batch.events where event["event_type"]?.string == "opt_out" {
                profile.isOptedOut = event["data"]?["is_opted_out"]?.bool
            }
        }
        self.eventHandler.store(batch, of: mpid, at: now)
    }

    mutating func refuse(_ batch: JSONValue, _ refusal: Refusal) {
        self.eventHandler.refuse(batch, refusal)
    }

    // An unknown MPID gets a profile without identities. A batch without an MPID is resolved as identify does ("data with
    // an e-mail only", guides, IDSync).
    private mutating func owner(of batch: BatchRequest, at now: Int64) throws(Refusal) -> MPID {
        guard let mpid = batch.mpid else {
            let request = IdentityRequest(identities: batch.identities, previous: nil)
            return try self.identityHandler.identify(request, in: &self.users, at: now).mpid
        }
        if self.users[mpid] == nil {
            self.users.create(mpid, at: now)
        }
        return mpid
    }
}
