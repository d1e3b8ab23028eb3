// SPDX-License-Identifier: Apache-2.0

import SignetModel

// Records that are saved again, facts that batches carry, breadcrumbs and timed events.
extension InstallationMachine {
    /// Saves the installation's state again after its record on disk was found damaged.
    ///
    /// - Returns: True if this is still the object of its installation.
    func writeDown(_ transaction: inout InstallationTransaction) -> Bool {
        guard !self.phase.isRetired else { return false }
        self.saveIdentity(&transaction)
        transaction.saveSession(of: self, isRequired: true)
        return true
    }

    // MARK: - Once batches are answered

    /// The result of a change of what the platform has not accepted.
    enum FactsChange: Sendable, Hashable {
        /// Nothing was unsent.
        case unchanged
        /// The users are saved.
        case saved(FactsAcceptance)

        var acceptance: FactsAcceptance? {
            if case .saved(let acceptance) = self { acceptance } else { nil }
        }
    }

    /// Notes that the platform has accepted facts of a user.
    ///
    /// - Returns: The change; nil if this object has left memory.
    mutating func accepted(
        _ facts: NumberedFacts,
        of mpid: MPID,
        consent: FactsAcceptance? = nil,
        _ transaction: inout InstallationTransaction
    ) -> FactsChange? {
        guard !self.phase.isRetired else { return nil }
        guard let acceptance = self.state.directory.accept(facts, of: mpid, consent: consent) else { return .unchanged }
        self.saveIdentity(&transaction)
        return .saved(acceptance)
    }

    /// Notes that a consent could not be brought without events.
    ///
    /// - Returns: The change; nil if this object has left memory.
    mutating func leaveConsentToEvents(
        of mpid: MPID,
        upTo number: Int64,
        _ transaction: inout InstallationTransaction
    ) -> FactsChange? {
        guard !self.phase.isRetired else { return nil }
        guard self.state.directory.leaveConsentToEvents(of: mpid, upTo: number) else { return .unchanged }
        self.saveIdentity(&transaction)
        return .saved(.inOrder)
    }

    // MARK: - Breadcrumbs

    /// Leaves a breadcrumb of the current user.
    mutating func leaveBreadcrumb(
        _ label: String,
        _ attributes: Attributes,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        guard self.phase == .open, !self.isOptedOut else { return }
        try self.breadcrumbs.leave(label, attributes, of: self.mpid, self.state.number, &transaction)
        transaction.step(&self, ifRefused: .isReported)
    }

    /// The breadcrumbs that go with a crash of the current user.
    ///
    /// Those of before an opt-out that another replica has taken are still on this disk, and do not go.
    func breadcrumbsOfCrash(_ records: InstallationRecords) throws(SignetError) -> [Breadcrumb] {
        let trail = try self.breadcrumbs.trail(of: self.mpid, self.state.number, records)
        guard let first = self.shared.value.eventsFrom else { return trail.breadcrumbs }
        return trail.breadcrumbs.filter { $0.milliseconds >= first }
    }

    // MARK: - Timed events

    /// Begins a timed event.
    ///
    /// - Throws: `optedOut`: it would tell of this time after an opt-in. `invalidArgument` if there is no room.
    mutating func beginTimedEvent(
        _ event: Event,
        named name: String,
        at now: SessionTimestamp
    ) throws(SignetError) {
        guard !self.isOptedOut else { throw .eventOptOut }
        let isGuest = self.mpid.map(self.state.directory.isGuest) ?? false
        let hasBegun = self.timedEvents.begin(event, named: name, at: now, by: self.mpid, isGuest: isGuest)
        guard hasBegun else { throw TimedEvents.isFull }
    }

    /// Continues a timed event that could not be logged, unless the installation has opted out meanwhile.
    mutating func resumeTimedEvent(_ name: String, _ begun: TimedEvents.Begun) {
        if !self.isOptedOut { self.timedEvents.resume(name, begun) }
    }
}
