// SPDX-License-Identifier: Apache-2.0

import struct SignetModel.IdentityType
import struct SignetModel.MPID

/// The identity rules of the workspace, and the look-up by them.
struct IdentityRules: Sendable {
    let strategy: IdentityStrategy
    let priority: [IdentityType]
    let unique: Set<IdentityType>
    let login: Set<IdentityType>
    let immutable: Set<IdentityType>
    private let ranks: [IdentityType: Int]

    init(_ configuration: EmulatorConfiguration) {
        self.strategy = configuration.strategy
        self.priority = configuration.priority
        self.unique = configuration.uniqueIdentities
        self.login = configuration.loginIdentities
        self.immutable = configuration.immutableIdentities
        self.ranks = Dictionary(
            configuration.priority.enumerated().map { ($0.element, $0.offset) },
            uniquingKeysWith: min
        )
    }

    /// Returns the position in the priority list; types that are not in it come last.
    func rank(_ type: IdentityType) -> Int {
        self.ranks[type] ?? .max
    }

    /// Returns true when the profile has a login identity.
    func isKnown(_ profile: UserRecord) -> Bool {
        profile.holdsAny(of: self.login)
    }

    /// Returns true when a request with these identities may resolve to the profile.
    ///
    /// A profile with immutable identities needs one of them; else a known profile needs one of its login identities.
    /// Orphans need no rule: no identity leads to them.
    func isEligible(_ profile: UserRecord, for given: [IdentityType: String]) -> Bool {
        if profile.holdsAny(of: self.immutable) {
            profile.matches(given, in: self.immutable)
        } else if self.isKnown(profile) {
            profile.matches(given, in: self.login)
        } else {
            true
        }
    }
}

/// The result of a look-up: a profile and the type that found it.
struct Match: Sendable {
    let profile: UserRecord
    let decidedBy: IdentityType
}

extension IdentityRules {
    /// Walks the priority list: the first type that finds profiles decides, the next ones break ties.
    ///
    /// A remaining tie goes to the client's previous user, else to the profile that was identified last, else to
    /// the smallest number; no source documents that.
    func lookUp(
        _ given: [IdentityType: String],
        previous: MPID?,
        in store: UserStore,
        where admits: (UserRecord) -> Bool = { _ in true }
    ) -> Match? {
        var candidates: Set<MPID> = []
        var decidedBy: IdentityType?
        for type in self.priority where candidates.count != 1 {
            guard let value = given[type] else { continue }
            let found = store.holders(of: value, type).filter { mpid in
                store[mpid].map { self.isEligible($0, for: given) && admits($0) } ?? false
            }
            if decidedBy == nil, !found.isEmpty {
                candidates = found
                decidedBy = type
            } else if !candidates.isDisjoint(with: found) {
                candidates.formIntersection(found)
            }
        }
        let users = candidates.compactMap { store[$0] }
        let best =
            users.first { $0.mpid == previous }
            ?? users.min { ($1.lastIdentified, $0.mpid) < ($0.lastIdentified, $1.mpid) }
        guard let best, let decidedBy else { return nil }
        return Match(profile: best, decidedBy: decidedBy)
    }

    /// The look-up of identify and login.
    ///
    /// A login identity means exactly one user. The look-up may stop at an anonymous profile while a known one holds a login
    /// identity of the request, if the priority list has login identities below others. Then the known one wins. No source
    /// says so; "Testing with the emulator" documents it.
    func resolve(_ given: [IdentityType: String], previous: MPID?, in store: UserStore) -> Match? {
        guard let match = self.lookUp(given, previous: previous, in: store) else { return nil }
        guard !self.isKnown(match.profile) else { return match }
        let logins = given.filter { self.login.contains($0.key) }
        return self.lookUp(logins, previous: previous, in: store) ?? match
    }
}
