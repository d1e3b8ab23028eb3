// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// The installations whose rows in a shared store delivery must read, beside those of the next batches.
///
/// Anonymous events belong to the user of their moment, whom only the row knows. And a batch may have delivered facts that
/// are old by now, such as a consent that another replica has withdrawn and sent meanwhile: after its answer a batch with the facts of
/// now follows, if they differ. The records of such batches stay on disk until then.
struct SharedLooks: Sendable {
    /// The number of installations that are read together.
    private static let portion = 64
    /// The pause after the store was not reached.
    private static let pause = Duration.seconds(1)

    /// Facts that batches have delivered.
    struct DeliveredFacts: Sendable, Hashable {
        /// The facts of each batch, in order.
        var facts: [NumberedFacts]
        /// The facts as hashes.
        var hashes: [UInt64]
        /// The batches, whose records are on disk.
        var batches: [UUID]

        /// Compares the facts with those of now.
        ///
        /// - Parameter now: Returns the hash of now.
        /// - Returns: The facts that the platform must get again; nil if it has those of now.
        func outdated(_ now: (NumberedFacts) -> UInt64?) -> RepeatedFacts? {
            var outdated: RepeatedFacts?
            for (facts, hash) in zip(self.facts, self.hashes) where now(facts) != hash {
                outdated = outdated ?? RepeatedFacts()
                outdated?.keys.formUnion(facts.changes.keys)
                if facts.carryConsent { outdated?.consent = true }
            }
            return outdated
        }

        /// Adds a later batch; it replaces those whose facts it carries.
        mutating func add(_ later: DeliveredFacts) {
            let left = zip(self.facts, self.hashes).filter { facts, _ in
                !later.facts.contains { $0.covers(facts) }
            }
            self.facts = left.map(\.0) + later.facts
            self.hashes = left.map(\.1) + later.hashes
            self.batches += later.batches
        }
    }

    private struct Uncompared {
        var delivered: DeliveredFacts
        /// The number of the entry: only a reading that began after it says if they are old.
        let number: Int
    }

    /// Installations with anonymous events.
    private var anonymous: Set<UInt32> = []
    /// The facts that the platform got last, by installation and user.
    private var uncompared: [UInt32: [MPID: Uncompared]] = [:]
    /// The number of the last entry of `uncompared`.
    private var lastCheck = 0
    /// The last entry that was there when the reading under way began.
    private var lastRead = 0
    /// The time of the next look at all installations with anonymous events.
    private var nextRound: Duration?
    private var pausedUntil: Duration?
    /// Installations whose rows cannot be read, with the times of their next readings.
    private var unreadable: [UInt32: Duration] = [:]

    /// True if nothing is to be read.
    var isEmpty: Bool {
        self.anonymous.isEmpty && self.uncompared.isEmpty
    }

    /// True if an installation is to be read.
    func concerns(_ installation: UInt32) -> Bool {
        self.anonymous.contains(installation) || self.uncompared[installation] != nil
    }

    /// True if an installation is to be read because of a batch.
    func isTold(_ installation: UInt32) -> Bool {
        self.uncompared[installation] != nil
    }

    /// Adds installations with anonymous events.
    mutating func look(at installations: some Sequence<UInt32>) {
        self.anonymous.formUnion(installations)
    }

    /// Adds batches with facts that may be old.
    mutating func check(_ delivered: DeliveredFacts, of mpid: MPID, on installation: UInt32) {
        self.lastCheck += 1
        var delivered = delivered
        if var before = self.uncompared[installation]?[mpid]?.delivered {
            before.add(delivered)
            delivered = before
        }
        self.uncompared[installation, default: [:]][mpid] = Uncompared(delivered: delivered, number: self.lastCheck)
    }

    /// Notes that a reading begins; what is checked from now on needs a later one.
    mutating func beginReading() {
        self.lastRead = self.lastCheck
    }

    /// True if it is time to look at all installations with anonymous events, once in each upload interval.
    mutating func isRoundDue(at now: Duration, interval: Duration) -> Bool {
        guard let round = self.nextRound else {
            self.nextRound = now + interval
            return false
        }
        // An interval that was made shorter counts at once.
        guard now >= min(round, now + interval) else { return false }
        self.nextRound = now + interval
        return true
    }

    /// The installations to read now; none in a pause.
    func due(at now: Duration) -> [UInt32] {
        guard self.pausedUntil.map({ $0 <= now }) ?? true else { return [] }
        let waiting = self.anonymous.union(self.uncompared.keys).filter {
            self.unreadable[$0].map { $0 <= now } ?? true
        }
        return Array(waiting.sorted().prefix(Self.portion))
    }

    /// The time of the next look; nil for none.
    func deadline(hasAnonymousEvents: Bool) -> Duration? {
        let round = hasAnonymousEvents ? self.nextRound : nil
        guard !self.isEmpty else { return round }
        let isReadable = { self.unreadable[$0] == nil }
        if self.anonymous.contains(where: isReadable) || self.uncompared.keys.contains(where: isReadable) {
            return self.pausedUntil ?? .zero
        }
        let next = self.unreadable.values.min().map { max($0, self.pausedUntil ?? .zero) }
        return [round, next].compactMap { $0 }.min()
    }

    /// Begins a pause.
    mutating func postpone(at now: Duration) {
        self.pausedUntil = now + Self.pause
    }

    /// Waits with an installation whose row cannot be read; the others go on.
    mutating func setAside(_ installation: UInt32, until: Duration) {
        self.pausedUntil = nil
        self.unreadable[installation] = until
    }

    /// Reads the rows that could not be read with the next ones.
    mutating func readAllAgain() {
        self.unreadable = [:]
    }

    /// Takes an installation that was read.
    ///
    /// - Returns: The facts that its users' batches had delivered when the reading began; the others stay.
    mutating func take(_ installation: UInt32) -> [MPID: DeliveredFacts] {
        self.pausedUntil = nil
        self.unreadable[installation] = nil
        self.anonymous.remove(installation)
        guard let entries = self.uncompared.removeValue(forKey: installation) else { return [:] }
        let later = entries.filter { $0.value.number > self.lastRead }
        if !later.isEmpty { self.uncompared[installation] = later }
        return entries.filter { $0.value.number <= self.lastRead }.mapValues(\.delivered)
    }
}
