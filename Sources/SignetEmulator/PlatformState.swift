//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

import struct SignetModel.MPID

/// Everything the platform remembers, and what each request changes in it.
///
/// Pure: no lock, no clock, no HTTP. ``Emulator`` reads requests, holds the lock and tells the time.
struct PlatformState: Sendable {
    private(set) var infobip = InfobipStore()
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
            users: self.infobip.infobip.count,
            aliases: self.aliasHandler.entries.count,
            eventRequests: self.received[.events, default: 0] + self.received[.bulkEvents, default: 0],
            resolvedBatches: self.resolvedBatches,
            storedBatches: self.eventHandler.stored,
            forgottenBatches: self.eventHandler.forgotten,
            totals: self.eventHandler.totals
        )
    }

    func user(_ profile: InfobipProfile) -> EmulatedUser {
        EmulatedUser(profile, isKnown: self.identityHandler.rules.isKnown(profile))
    }

    /// Carries out the aliases whose time has come.
    ///
    /// Comes before everything else that looks or changes, so that an event that arrives later is not copied.
    mutating func advance(to now: Int64) {
        for alias in self.aliasHandler.takeDue(at: now) {
            let request = alias.request
            self.eventHandler.copy(alias.window, from: request.source, to: request.destination)
            guard let firstSeen = self.infobip[request.source]?.firstSeen else { continue }
            self.infobip.update(request.destination) { $0.firstSeen = firstSeen }
        }
    }

    /// Identify, login, logout or search, as the route says.
    mutating func resolve(
        _ request: IdentityRequest,
        by route: EmulatorRoute,
        at now: Int64
    ) throws(Refusal) -> TransportResponse {
        let resolution =
            switch route {
            case .login: try self.identityHandler.login(request, in: &self.infobip, at: now)
            case .logout: try self.identityHandler.logout(request, in: &self.infobip, at: now)
            case .search: try self.identityHandler.search(request, in: self.infobip)
            default: try self.identityHandler.identify(request, in: &self.infobip, at: now)
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
        IdentityAnswer.modified(try self.identityHandler.modify(request, in: &self.infobip, at: now))
    }

    mutating func alias(_ request: AliasRequest, at now: Int64) throws(Refusal) -> TransportResponse {
        try self.aliasHandler.accept(request, infobip: self.infobip, at: now)
        return TransportResponse(status: 202)
    }

    /// Takes a batch: a new one is stored, one that came before is counted.
    mutating func take(_ batch: BatchRequest, at now: Int64) throws(Refusal) {
        if self.eventHandler.recognise(batch) != nil {
            return
        }
        let mpid = try self.owner(of: batch, at: now)
        self.infobip.update(mpid) { profile in
            profile.lastSeen = now
            // Removed first: what a batch sets is what holds after it.
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

    mutating func restore(received: [EmulatorRoute: Int], contexts: Int) {
        self.received = received
        self.contexts = contexts
    }

    mutating func restore(_ totals: EventTotals) {
        self.eventHandler.restore(totals)
    }

    mutating func restore(_ mpid: MPID, _ change: (inout InfobipProfile) -> Void) {
        self.infobip.update(mpid, change)
    }

    mutating func refuse(_ batch: JSONValue, _ refusal: Refusal) {
        self.eventHandler.refuse(batch, refusal)
    }

    // An MPID that is not here belongs to a user all the same: it gets a profile without identities. A batch without one
    // is resolved as identify does ("data with an e-mail only", guides, IDSync).
    private mutating func owner(of batch: BatchRequest, at now: Int64) throws(Refusal) -> MPID {
        guard let mpid = batch.mpid else {
            self.resolvedBatches += 1
            let request = IdentityRequest(identities: batch.identities, previous: nil)
            return try self.identityHandler.identify(request, in: &self.infobip, at: now).mpid
        }
        if self.infobip[mpid] == nil {
            self.infobip.create(mpid, at: now)
        }
        return mpid
    }
}
