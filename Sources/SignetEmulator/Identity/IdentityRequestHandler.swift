// SPDX-License-Identifier: Apache-2.0

import struct SignetModel.IdentityType
import struct SignetModel.MPID

/// Resolves identity requests to users by the rules of the workspace, independent of HTTP, time and locks.
struct IdentityRequestHandler: Sendable {
    /// The user to whom a request resolves.
    struct Resolution: Sendable {
        let mpid: MPID
        let isKnown: Bool
        /// The identities of the request that the profile held before.
        let matched: [IdentityType: String]
    }

    let rules: IdentityRules
    private var mpids: MPIDSequence

    init(_ configuration: EmulatorConfiguration) {
        self.rules = IdentityRules(configuration)
        self.mpids = configuration.mpids
    }

    /// Resolves to the best match or a new profile; the strategy decides about a new login identity.
    mutating func identify(
        _ request: IdentityRequest,
        in store: inout UserStore,
        at now: Int64
    ) throws(Refusal) -> Resolution {
        let hasLogin = request.identities.keys.contains(where: self.rules.login.contains)
        let match = self.rules.resolve(request.identities, previous: request.previous, in: store)
        guard let match, self.rules.isKnown(match.profile) || !hasLogin || !self.rules.strategy.separatesKnownUsers
        else {
            let source = hasLogin ? self.source(of: request, found: match?.profile, in: store) : nil
            return try self.create(request, source: source, in: &store, at: now)
        }
        let matched = Self.matched(request, by: match.profile)
        if !request.options.contains(.readOnly) {
            self.attach(request.identities, to: match, in: &store)
            store.update(match.profile.mpid) { $0.identified(at: now) }
        }
        return self.resolution(match.profile, matched: matched, in: store)
    }

    /// Works as identify, but isolation requires a login identity (recorded: LOOKUP_ERROR).
    mutating func login(
        _ request: IdentityRequest,
        in store: inout UserStore,
        at now: Int64
    ) throws(Refusal) -> Resolution {
        let hasLogin = request.identities.keys.contains(where: self.rules.login.contains)
        guard hasLogin || self.rules.strategy != .isolation else {
            throw .lookupFailed("CleanCutStrategy login action is missing the login identity type.")
        }
        return try self.identify(request, in: &store, at: now)
    }

    /// Resolves to a new anonymous profile; under isolation to that of the device, if there is one.
    ///
    /// Login identities of the request are ignored: the user is anonymous after a logout, and a unique identity must not
    /// leave its owner. No source documents what the platform does with them.
    mutating func logout(
        _ request: IdentityRequest,
        in store: inout UserStore,
        at now: Int64
    ) throws(Refusal) -> Resolution {
        let identities = request.identities.filter { !self.rules.login.contains($0.key) }
        guard !identities.isEmpty else {
            throw .badRequest("A logout needs an identity that is not a login identity, such as that of the device.")
        }
        var anonymous = IdentityRequest(identities: identities, previous: request.previous)
        anonymous.options = request.options
        guard self.rules.strategy == .isolation else {
            return try self.create(anonymous, source: nil, in: &store, at: now)
        }
        // Without a login identity, a look-up finds anonymous profiles only.
        let devices = identities.filter(\.key.isDevice)
        guard let match = self.rules.lookUp(devices, previous: request.previous, in: store) else {
            return try self.create(anonymous, source: nil, in: &store, at: now)
        }
        let matched = Self.matched(anonymous, by: match.profile)
        if !request.options.contains(.readOnly) {
            self.attach(identities, to: match, in: &store)
            store.update(match.profile.mpid) { $0.identified(at: now) }
        }
        return self.resolution(match.profile, matched: matched, in: store)
    }

    /// Looks up a profile without changes.
    ///
    /// If immutable types are configured, one of them must match (guides, user data).
    func search(_ request: IdentityRequest, in store: UserStore) throws(Refusal) -> Resolution {
        let match = self.rules.lookUp(request.identities, previous: request.previous, in: store) { profile in
            self.rules.immutable.isEmpty || profile.matches(request.identities, in: self.rules.immutable)
        }
        guard let match else { throw Self.userNotFound }
        return self.resolution(match.profile, matched: Self.matched(request, by: match.profile), in: store)
    }

    private static let userNotFound = Refusal.notFound("User Profile Not Found")

    private mutating func create(
        _ request: IdentityRequest,
        source: MPID?,
        in store: inout UserStore,
        at now: Int64
    ) throws(Refusal) -> Resolution {
        guard !request.options.contains(.readOnly) else { throw Self.userNotFound }
        var mpid = self.mpids.next()
        while store[mpid] != nil {
            mpid = self.mpids.next()
        }
        store.create(mpid, source: source, at: now)
        for (type, value) in request.identities where self.take(value, of: type, for: mpid, in: &store) {
            store.insert(value, of: type, into: mpid)
        }
        guard let profile = store[mpid] else { throw Self.userNotFound }
        return self.resolution(profile, matched: [:], in: store)
    }

    // Returns the client's previous user if anonymous, else the found profile if anonymous (profile link; the use of
    // `previous_mpid` is inferred).
    private func source(of request: IdentityRequest, found: UserRecord?, in store: UserStore) -> MPID? {
        guard self.rules.strategy == .link else { return nil }
        let previous = request.previous.flatMap { store[$0] }
        return [previous, found].compactMap(\.self).first { !self.rules.isKnown($0) && !$0.isOrphaned }?.mpid
    }

    private func resolution(
        _ profile: UserRecord,
        matched: [IdentityType: String],
        in store: UserStore
    ) -> Resolution {
        let now = store[profile.mpid] ?? profile
        return Resolution(mpid: profile.mpid, isKnown: self.rules.isKnown(now), matched: matched)
    }

    private static func matched(_ request: IdentityRequest, by profile: UserRecord) -> [IdentityType: String] {
        request.identities.filter { profile.holds($0.value, of: $0.key) }
    }

    /// Adds the identities of a request to the profile that it resolved to.
    func attach(_ given: [IdentityType: String], to match: Match, in store: inout UserStore) {
        let mpid = match.profile.mpid
        for (type, value) in given where !match.profile.holds(value, of: type) {
            guard self.mayChange(type, of: match), self.take(value, of: type, for: mpid, in: &store) else { continue }
            if !self.rules.strategy.collectsValues {
                store.removeAll(of: type, from: mpid)
            }
            store.insert(value, of: type, into: mpid)
        }
    }

    // A set immutable value stays. A set login value stays too, unless a more important login identity found the profile;
    // no source documents that case.
    private func mayChange(_ type: IdentityType, of match: Match) -> Bool {
        guard match.profile.identities[type] != nil else { return true }
        if self.rules.immutable.contains(type) {
            return false
        }
        guard self.rules.login.contains(type) else { return true }
        return self.rules.login.contains(match.decidedBy) && self.rules.rank(match.decidedBy) < self.rules.rank(type)
    }

    /// Removes a unique value from all other profiles; those left without identities are orphaned.
    ///
    /// - Returns: False if its type is immutable and it belongs to another profile.
    func take(_ value: String, of type: IdentityType, for mpid: MPID, in store: inout UserStore) -> Bool {
        guard self.rules.unique.contains(type) else { return true }
        let others = store.holders(of: value, type).subtracting([mpid])
        guard others.isEmpty || !self.rules.immutable.contains(type) else { return false }
        for other in others {
            store.remove(value, of: type, from: other)
        }
        return true
    }

    /// A unique identity that another profile lost to the modified one.
    struct ChangeResult: Sendable, Hashable {
        let type: IdentityType
        let modified: MPID
    }

    /// Applies all changes of the request to the identities of one profile, or none.
    ///
    /// The MPID never changes. An `old_value` that the profile does not hold is accepted: no source says otherwise.
    func modify(_ request: ModifyRequest, in store: inout UserStore, at now: Int64) throws(Refusal) -> [ChangeResult] {
        guard let profile = store[request.mpid] else {
            throw .notFound("No user has this MPID.")
        }
        try self.checkImmutable(request.changes, of: profile, in: store)
        var results: [ChangeResult] = []
        for change in request.changes {
            results += self.apply(change, to: request.mpid, in: &store)
        }
        store.update(request.mpid) { $0.identified(at: now) }
        return results
    }

    private func checkImmutable(
        _ changes: [ModifyRequest.Change],
        of profile: UserRecord,
        in store: UserStore
    ) throws(Refusal) {
        var values = profile.identities.compactMapValues(\.first)
        for change in changes where self.rules.immutable.contains(change.type) {
            if let current = values[change.type], change.new != current {
                throw .badRequest("'\(change.type.wireName)' is immutable and already set.")
            }
            if let new = change.new, !store.holders(of: new, change.type).subtracting([profile.mpid]).isEmpty {
                throw .badRequest("'\(change.type.wireName)' is immutable and belongs to another user.")
            }
            values[change.type] = change.new
        }
    }

    private func apply(
        _ change: ModifyRequest.Change,
        to mpid: MPID,
        in store: inout UserStore
    ) -> [ChangeResult] {
        // If a profile may hold several values, only the named old one is removed.
        if !self.rules.strategy.collectsValues {
            store.removeAll(of: change.type, from: mpid)
        } else if let old = change.old {
            store.remove(old, of: change.type, from: mpid)
        }
        guard let new = change.new else { return [] }
        var losers: [MPID] = []
        if self.rules.unique.contains(change.type) {
            losers = store.holders(of: new, change.type).subtracting([mpid]).sorted()
        }
        guard self.take(new, of: change.type, for: mpid, in: &store) else { return [] }
        store.insert(new, of: change.type, into: mpid)
        return losers.map { ChangeResult(type: change.type, modified: $0) }
    }
}
