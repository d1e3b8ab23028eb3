// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

/// Facts that the platform gets again, as they are now.
struct RepeatedFacts: Sendable, Hashable {
    /// The keys of attributes.
    var keys: Set<String> = []
    var consent = false
}

/// The facts of a user that one batch carries.
struct BatchFacts: Sendable {
    /// The most bytes of removed attributes that one batch reports; the others wait for the next.
    private static let removalsLimit = 4 * 1024

    private(set) var attributes: [String: AttributeValue]
    private(set) var removed: [String] = []
    /// The consent; empty for one that was removed, nil for none.
    let consent: ConsentState?
    /// The changes among them that the platform has not accepted.
    private(set) var numbered = NumberedFacts()

    /// Chooses the facts of a batch.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - scope: All, or those that the platform has not accepted.
    ///   - held: The changes of attributes that batches without an answer carry.
    ///   - again: The facts that the platform gets again, as they are now.
    init(
        _ user: BatchUser,
        _ scope: SignetConfiguration.Events.UserFacts,
        held: [String: Int64] = [:],
        again: RepeatedFacts = RepeatedFacts()
    ) {
        let isOwed = user.unsentConsent != nil && !user.isConsentBrought
        let isCarried = isOwed || user.isConsentDue || again.consent
        let known = user.consent ?? user.consentLeftBehind ?? (isCarried ? ConsentState() : nil)
        switch scope {
        case .all:
            self.consent = known
            self.attributes = user.attributes
        case .changes:
            self.consent = isCarried ? known : user.consentLeftBehind
            self.attributes = user.attributes.filter { key, _ in
                again.keys.contains(key) || user.changed[key].map { held[key] != $0 } == true
            }
        }
        self.number(user, besides: held, again: again)
        self.numbered.consent = user.unsentConsent ?? (again.consent ? 0 : nil)
        // With all facts, also one that the platform has: in a batch that is late it is older than the latest.
        if isCarried || scope == .all, let consent = self.consent, let version = user.version {
            self.numbered.version = UserConsent.Version(number: version, hash: consent.hash)
        }
    }

    private mutating func number(_ user: BatchUser, besides held: [String: Int64], again: RepeatedFacts) {
        for key in self.attributes.keys {
            if let number = user.changed[key] {
                self.numbered.changes[key] = number
            } else if again.keys.contains(key) {
                self.numbered.changes[key] = 0
            }
        }
        for (key, number) in user.removals where held[key] != number {
            self.removed.append(key)
            self.numbered.changes[key] = number
        }
        let gone = again.keys.filter { user.attributes[$0] == nil && self.numbered.changes[$0] == nil }
        for key in gone.sorted() {
            self.removed.append(key)
            self.numbered.changes[key] = 0
        }
        self.limitRemovals()
    }

    /// The same without attributes, to make room.
    func withoutAttributes() -> BatchFacts {
        var facts = self
        (facts.attributes, facts.removed, facts.numbered.changes) = ([:], [], [:])
        return facts
    }

    /// Keeps the oldest removals that fit in one batch; at least one.
    private mutating func limitRemovals() {
        var bytes = 0
        let count = self.removed.prefix { key in
            // Each byte of a key takes at most six bytes of JSON.
            bytes += 6 * key.utf8.count + 3
            return bytes <= Self.removalsLimit
        }.count
        for key in self.removed.dropFirst(max(1, count)) { self.numbered.changes[key] = nil }
        self.removed = Array(self.removed.prefix(max(1, count)))
    }
}
