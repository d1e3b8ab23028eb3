// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// What calls about an installation have returned for: whoever reads it later sees it, on any replica.
///
/// A fact is known from the return of the call that set it until the next call begins that may set it. Nobody knows
/// which of two calls at the same time came last, nor what became of one that failed: the fact is unknown then until a
/// lone call returns.
struct FleetFacts: Sendable {
    /// A fact that one call at a time can set.
    struct Fact<Value: Sendable & Equatable>: Sendable {
        /// Nil while nobody knows it.
        private(set) var value: Value?
        /// The time at which it became known.
        private(set) var since = Duration.zero
        /// The value that the only call under way has found; nil if nobody knows it.
        private(set) var found: Value?
        private var begun = 0
        private var underWay = 0

        init(_ value: Value? = nil) {
            self.value = value
        }

        mutating func begin(at now: Duration) -> Turn {
            self.begun += 1
            // The clock stands still between two steps: in the millisecond of the fact, an older reading may follow it.
            self.found = self.underWay == 0 && self.since < now ? self.value : nil
            self.underWay += 1
            self.value = nil
            return Turn(number: self.begun, isAlone: self.underWay == 1)
        }

        mutating func end(_ turn: Turn, _ value: Value?, at now: Duration) {
            self.underWay -= 1
            self.found = nil
            guard let value, turn.isAlone, turn.number == self.begun else { return }
            (self.value, self.since) = (value, now)
        }

        /// The value, if it was known when a reading began, and no call that may set it has begun since.
        ///
        /// - Parameters:
        ///   - later: The fact at the end of the reading.
        ///   - began: The time at which the reading began.
        /// - Returns: The value; nil if nobody knows it.
        func known(until later: Self, _ began: Duration) -> Value? {
            later.begun == self.begun && self.since < began ? self.value : nil
        }
    }

    /// The place of a call among those that set the same fact.
    struct Turn: Sendable {
        let number: Int
        let isAlone: Bool
    }

    /// A user's consent.
    struct Told: Sendable, Equatable {
        let mpid: MPID
        let isGiven: Bool
    }

    /// What a call has set.
    enum Change: Sendable {
        case user(MPID)
        case consent(Told)
        case optedOut(Bool)
        case increment(MPID)
    }

    /// A call that has begun.
    struct Call: Sendable {
        let kind: FleetStep.Kind
        let number: Int
        let turn: Turn
        /// The tag of the row at its begin; nil if there was none.
        let tag: UUID?
        /// The time at which it began.
        let began: Duration
        /// What was known then.
        let before: FleetFacts
    }

    private(set) var user = Fact<MPID>()
    private(set) var consent = Fact<Told>()
    private(set) var optedOut = Fact<Bool>(false)
    /// The increments that have returned.
    private(set) var increments: [MPID: Int] = [:]
    /// The time at which the last of them did.
    private(set) var incremented = Duration.zero
    /// A tag of the row, and the time at which it was there.
    var tag: (tag: UUID, at: Duration)?

    mutating func begin(_ kind: FleetStep.Kind, at now: Duration) -> Turn {
        switch kind {
        case .login, .logout: self.user.begin(at: now)
        case .consent: self.consent.begin(at: now)
        case .optOut, .optIn: self.optedOut.begin(at: now)
        default: Turn(number: 0, isAlone: false)
        }
    }

    mutating func end(_ call: Call, _ change: Change?, at now: Duration) {
        switch call.kind {
        case .login, .logout:
            let mpid: MPID? = if case .user(let user)? = change { user } else { nil }
            self.user.end(call.turn, mpid, at: now)
        case .consent:
            let told: Told? = if case .consent(let consent)? = change { consent } else { nil }
            self.consent.end(call.turn, told, at: now)
        case .optOut, .optIn:
            let choice: Bool? = if case .optedOut(let isOptedOut)? = change { isOptedOut } else { nil }
            self.optedOut.end(call.turn, choice, at: now)
        default:
            guard case .increment(let mpid)? = change else { return }
            self.increments[mpid, default: 0] += 1
            self.incremented = now
        }
    }
}
