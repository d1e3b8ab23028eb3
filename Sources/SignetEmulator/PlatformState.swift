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
    private(set) var facts: FactLog
    private var identityHandler: IdentityRequestHandler
    private var contexts = 0
    private let ephemeralRule: EphemeralRule

    init(_ configuration: EmulatorConfiguration) {
        self.identityHandler = IdentityRequestHandler(configuration)
        self.aliasHandler = AliasRequestHandler(configuration)
        self.eventHandler = EventRequestHandler(keeping: configuration.keptEvents)
        self.facts = FactLog(keeping: configuration.keptEvents)
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
        let users = self.users.users.count
        let resolution: IdentityRequestHandler.Resolution
        do throws(Refusal) {
            switch route {
            case .login: resolution = try self.identityHandler.login(request, in: &self.users, at: now)
            case .logout: resolution = try self.identityHandler.logout(request, in: &self.users, at: now)
            case .search: resolution = try self.identityHandler.search(request, in: self.users)
            default: resolution = try self.identityHandler.identify(request, in: &self.users, at: now)
            }
        } catch {
            self.note(request, by: route, .refused(status: error.status, reason: error.message), at: now)
            throw error
        }
        let isNew = self.users.users.count > users
        let outcome = PlatformFact.IdentityCall.Outcome.user(resolution.mpid, isKnown: resolution.isKnown, isNew: isNew)
        self.note(request, by: route, outcome, at: now)
        self.contexts += 1
        return IdentityAnswer.resolved(
            resolution,
            context: IdentityAnswer.context(number: self.contexts),
            isEphemeral: self.ephemeralRule.isEphemeral(isKnown: resolution.isKnown),
            returnsMatches: request.options.contains(.returnsMatches)
        )
    }

    mutating func modify(_ request: ModifyRequest, at now: Int64) throws(Refusal) -> TransportResponse {
        let results: [IdentityRequestHandler.ChangeResult]
        do throws(Refusal) {
            results = try self.identityHandler.modify(request, in: &self.users, at: now)
        } catch {
            self.note(request, .refused(status: error.status, reason: error.message), at: now)
            throw error
        }
        let isKnown = self.users[request.mpid].map(self.identityHandler.rules.isKnown) ?? false
        self.note(request, .user(request.mpid, isKnown: isKnown, isNew: false), at: now)
        return IdentityAnswer.modified(results)
    }

    mutating func alias(_ request: AliasRequest, at now: Int64) throws(Refusal) -> TransportResponse {
        try self.aliasHandler.accept(request, users: self.users, at: now)
        return TransportResponse(status: 202)
    }

    /// Stores a new batch, or counts a repetition.
    mutating func take(_ batch: BatchRequest, at now: Int64) throws(Refusal) {
        if let mpid = self.eventHandler.recognise(batch) {
            self.note(batch, of: mpid, .repeated, at: now)
            return
        }
        let mpid = try self.owner(of: batch, at: now)
        // The named attributes are set or deleted and all others stay: "To directly update a profile", mParticle,
        // Platform guide, Profiles. Guesses, because nothing is documented: a key in both members keeps its value; a
        // consent state replaces the one of before as a whole, and an empty one removes it. The real platform may merge
        // by purpose.
        self.users.update(mpid) { profile in
            profile.lastSeen = now
            // Deletions come first, so that the values of the batch win.
            for name in batch.deletedAttributes { profile.attributes[name] = nil }
            for (key, value) in batch.json["user_attributes"]?.object ?? JSONObject() {
                profile.attributes[key] = value
            }
            if let consent = batch.json["consent_state"]?.object { profile.consent = consent }
            for event in batch.events where event["event_type"]?.string == "opt_out" {
                profile.isOptedOut = event["data"]?["is_opted_out"]?.bool
            }
        }
        self.eventHandler.store(batch, of: mpid, at: now)
        self.note(batch, of: mpid, .accepted, at: now)
    }

    mutating func refuse(_ batch: JSONValue, _ refusal: Refusal, at now: Int64) {
        self.eventHandler.refuse(batch, refusal)
        let delivery = PlatformFact.Delivery(
            batchID: batch["source_request_id"]?.string,
            user: batch["mpid"]?.mpid,
            events: batch["events"]?.array?.count ?? 0,
            outcome: .refused(status: refusal.status, reason: refusal.message)
        )
        self.facts.append(.delivery(delivery), at: now)
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

// The facts of requests.
extension PlatformState {
    /// Records a request that resolves a user; a search changes nothing and is none.
    private mutating func note(
        _ request: IdentityRequest,
        by route: EmulatorRoute,
        _ outcome: PlatformFact.IdentityCall.Outcome,
        at now: Int64
    ) {
        guard route != .search, !request.options.contains(.readOnly) else { return }
        let call = PlatformFact.IdentityCall(
            route: route,
            previous: request.previous,
            identities: request.identities,
            sentAt: request.sentAt,
            outcome: outcome
        )
        self.facts.append(.identity(call), at: now)
    }

    private mutating func note(
        _ request: ModifyRequest,
        _ outcome: PlatformFact.IdentityCall.Outcome,
        at now: Int64
    ) {
        let values = request.changes.compactMap { change in change.new.map { (change.type, $0) } }
        let call = PlatformFact.IdentityCall(
            route: .modify,
            previous: request.mpid,
            identities: Dictionary(values, uniquingKeysWith: { $1 }),
            sentAt: request.sentAt,
            outcome: outcome
        )
        self.facts.append(.identity(call), at: now)
    }

    private mutating func note(
        _ batch: BatchRequest,
        of mpid: MPID,
        _ outcome: PlatformFact.Delivery.Outcome,
        at now: Int64
    ) {
        let delivery = PlatformFact.Delivery(
            batchID: batch.requestID,
            user: mpid,
            events: batch.events.count,
            outcome: outcome
        )
        self.facts.append(.delivery(delivery), at: now)
    }
}
