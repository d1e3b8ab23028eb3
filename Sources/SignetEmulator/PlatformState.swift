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
    private(set) var contexts = 0
    private var resolvedBatches = 0
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

    var ledger: ProgressCounters {
        ProgressCounters(
            users: self.users.users.count,
            aliases: self.aliasHandler.entries.count,
            eventRequests: self.received[.events, default: 0] + self.received[.bulkEvents, default: 0],
            resolvedBatches: self.resolvedBatches,
            storedBatches: self.eventHandler.stored,
            forgottenBatches: self.eventHandler.forgotten,
            totals: self.eventHandler.totals
        )
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
            self.resolvedBatches += 1
            let request = IdentityRequest(identities: batch.identities, previous: nil)
            return try self.identityHandler.identify(request, in: &self.users, at: now).mpid
        }
        if self.users[mpid] == nil {
            self.users.create(mpid, at: now)
        }
        return mpid
    }
}

// MARK: Checkpoints

// A checkpoint holds the counts and what events set on users, so that requests whose events are forgotten can be removed.
extension PlatformState {
    /// The counts, then each user, without events.
    var checkpoint: [JSONValue] {
        [self.counts] + self.users.users.values.sorted { $0.mpid < $1.mpid }.map(Self.told)
    }

    /// Replaces the current values with those of a piece of a checkpoint; an unknown user is skipped.
    mutating func restore(_ piece: JSONValue) {
        if let mpid = piece["mpid"]?.number?.int64.flatMap(MPID.init(rawValue:)) {
            self.users.update(mpid) { profile in
                profile.attributes = piece["attributes"]?.object ?? profile.attributes
                profile.consent = piece["consent"]?.object
                profile.isOptedOut = piece["isOptedOut"]?.bool
                profile.lastSeen = piece["lastSeen"]?.number?.int64 ?? profile.lastSeen
            }
        }
        guard let requests = piece["requests"]?.object else { return }
        for (name, count) in requests { EmulatorRoute(rawValue: name).map { self.received[$0] = Self.count(count) } }
        self.contexts = Self.count(piece["contexts"])
        self.eventHandler.restore(
            EventTotals(
                batches: Self.count(piece["batches"]),
                events: Self.count(piece["events"]),
                repetitions: Self.count(piece["repetitions"]),
                refused: Self.count(piece["refused"])
            )
        )
    }

    private var counts: JSONValue {
        var requests = JSONObject()
        for (route, count) in self.received { requests[route.rawValue] = Self.number(count) }
        let totals = self.eventHandler.totals
        return [
            "requests": .object(requests), "contexts": Self.number(self.contexts),
            "batches": Self.number(totals.batches), "events": Self.number(totals.events),
            "repetitions": Self.number(totals.repetitions), "refused": Self.number(totals.refused),
        ]
    }

    private static func told(_ profile: UserRecord) -> JSONValue {
        var user: JSONObject = [
            "mpid": .number(JSONNumber(profile.mpid.rawValue)), "lastSeen": .number(JSONNumber(profile.lastSeen)),
            "attributes": .object(profile.attributes),
        ]
        if let consent = profile.consent { user["consent"] = .object(consent) }
        if let isOptedOut = profile.isOptedOut { user["isOptedOut"] = .bool(isOptedOut) }
        return .object(user)
    }

    private static func number(_ count: Int) -> JSONValue {
        .number(JSONNumber(Int64(count)))
    }

    private static func count(_ value: JSONValue?) -> Int {
        Int(value?.number?.int64 ?? 0)
    }
}

/// Counters that change when a request changes more than its own events.
package struct ProgressCounters: Sendable, Hashable {
    /// Users of the identity interface.
    package let users: Int
    /// Accepted aliases.
    package let aliases: Int
    /// Requests to the events interface.
    package let eventRequests: Int
    /// Batches whose user was found or created by their identities.
    package let resolvedBatches: Int
    /// Stored batches, forgotten ones included.
    package let storedBatches: Int
    /// Forgotten batches.
    package let forgottenBatches: Int
    /// The totals of the events interface.
    package let totals: EventTotals
}
