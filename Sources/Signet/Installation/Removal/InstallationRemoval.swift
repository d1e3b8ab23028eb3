// SPDX-License-Identifier: Apache-2.0

/// Decides what must happen before an installation may be removed, so that nothing that it has accepted is lost.
///
/// Other handles go on until the last step. What they have done since a delivery shows in the facts: then it is delivered again.
struct InstallationRemoval: Sendable {
    /// The facts of an installation at one moment, read under its lock.
    struct Facts: Sendable, Hashable {
        var isOpen = true
        /// False if nothing of it was ever written.
        var isDurable = true
        /// True if an identity call is under way or waits for its turn.
        var isCallUnderWay = false
        var hasSession = false
        /// The counts of everything that it has accepted so far.
        var accepted = Accepted()
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

    private var delivered: Accepted?
    private var hasEndedSession = false
    private var hasBegunDelivery = false

    /// Begins the next step.
    ///
    /// Each is tried once, however late. A handle that goes on all the time must not keep the call for ever.
    mutating func begin(_ facts: Facts, isLate: Bool) -> Step {
        let step = self.next(facts)
        switch step {
        case .endSession:
            guard !self.hasEndedSession || !isLate else { return .giveUp }
            self.hasEndedSession = true
        case .deliver:
            guard !self.hasBegunDelivery || !isLate else { return .giveUp }
            self.hasBegunDelivery = true
        case .refuse, .finishCalls, .remove, .giveUp:
            break
        }
        return step
    }

    /// Returns the next step.
    func next(_ facts: Facts) -> Step {
        guard facts.isOpen else { return .refuse }
        // Its answer may bring a first user, whose events can then be delivered.
        if facts.isCallUnderWay { return .finishCalls }
        guard facts.isDurable else { return .remove }
        if facts.hasSession { return .endSession }
        return self.delivered == facts.accepted ? .remove : .deliver(facts.accepted)
    }

    /// Notes that all of this was answered.
    mutating func delivered(_ accepted: Accepted) {
        self.delivered = accepted
    }
}

extension InstallationRemoval.Facts {
    /// Reads the facts in a transaction.
    init(_ machine: borrowing InstallationMachine, _ frames: InstallationFrames) {
        self.isOpen = machine.phase == .open
        self.isDurable = machine.identity.state.number != 0
        self.isCallUnderWay = machine.identity.isBusy
        // While opted out it logs no end.
        self.hasSession = !machine.isOptedOut && machine.sessions.current != nil
        self.accepted = InstallationRemoval.Accepted(
            lastEvent: frames.last,
            eventsInMemory: frames.inMemory,
            aliases: machine.aliasCount,
            calls: machine.identity.callCount
        )
    }
}
