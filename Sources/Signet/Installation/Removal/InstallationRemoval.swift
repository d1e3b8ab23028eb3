// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

/// Decides what must happen before an installation may be removed, so that nothing that it has accepted is lost.
///
/// Other handles go on until the last step. What they have done since a delivery shows in the facts: then it is delivered again.
struct InstallationRemoval: Sendable {
    /// The facts of an installation at one moment, read under its lock.
    struct Facts: Sendable, Hashable {
        /// Its identity calls.
        enum Calls: Sendable, Hashable {
            case answered
            /// One is under way or waits for its turn.
            case underWay
        }

        /// Its record on disk.
        enum Record: Sendable, Hashable {
            /// Nothing of it was ever written.
            case unwritten
            /// It has accepted this so far.
            case written(Accepted)
        }

        var phase = InstallationMachine.Phase.open
        var calls = Calls.answered
        /// The session that must end; nil for none.
        var session: UUID?
        var record = Record.written(Accepted())
    }

    /// Everything that an installation has accepted, as counts that only grow.
    struct Accepted: Sendable, Hashable {
        /// The last of its events in the journal.
        var lastEvent: UInt64 = 0
        /// The number of its events that the disk had refused.
        var eventsInMemory = 0
        /// The number of its alias requests.
        var aliases = 0
        /// The number of its identity calls, which the services follow.
        var calls = 0
    }

    /// The next step.
    enum Step: Sendable, Hashable {
        /// It was closed or removed meanwhile.
        case refuse
        /// Await the identity calls.
        case finishCalls
        case endSession
        /// Deliver all of this, and report it with ``delivered(_:)``.
        case deliver(Accepted)
        /// Nothing waits: remove it, under the lock that the facts were read under.
        case remove
        /// The time is over, and other handles go on.
        case giveUp
    }

    private enum SessionEnd: Sendable {
        case untried
        case tried
    }

    private enum Delivery: Sendable {
        case untried
        case tried
        /// All of this was answered.
        case answered(Accepted)
    }

    private var sessionEnd = SessionEnd.untried
    private var delivery = Delivery.untried

    /// Begins the next step.
    ///
    /// Each is tried once, however late. A handle that goes on all the time must not keep the call for ever.
    mutating func begin(_ facts: Facts, isLate: Bool) -> Step {
        let step = self.next(facts)
        switch step {
        case .endSession:
            if isLate, case .tried = self.sessionEnd { return .giveUp }
            self.sessionEnd = .tried
        case .deliver:
            switch self.delivery {
            case .tried where isLate, .answered where isLate: return .giveUp
            case .untried, .tried, .answered: self.delivery = .tried
            }
        case .refuse, .finishCalls, .remove, .giveUp:
            break
        }
        return step
    }

    /// Returns the next step.
    func next(_ facts: Facts) -> Step {
        guard facts.phase == .open else { return .refuse }
        // Its answer may bring a first user, whose events can then be delivered.
        if facts.calls == .underWay { return .finishCalls }
        guard case .written(let accepted) = facts.record else { return .remove }
        if facts.session != nil { return .endSession }
        if case .answered(accepted) = self.delivery { return .remove }
        return .deliver(accepted)
    }

    /// Notes that all of this was answered.
    mutating func delivered(_ accepted: Accepted) {
        self.delivery = .answered(accepted)
    }
}

extension InstallationRemoval.Facts {
    /// Reads the facts in a transaction.
    init(_ machine: borrowing InstallationMachine, _ frames: InstallationFrames) {
        self.phase = machine.phase
        self.calls = machine.identity.isBusy ? .underWay : .answered
        // While opted out it logs no end.
        self.session = machine.isOptedOut ? nil : machine.sessions.current?.uuid
        guard machine.identity.state.number != 0 else {
            self.record = .unwritten
            return
        }
        let accepted = InstallationRemoval.Accepted(
            lastEvent: frames.last,
            eventsInMemory: frames.inMemory,
            aliases: machine.aliasCount,
            calls: machine.identity.callCount
        )
        self.record = .written(accepted)
    }
}
