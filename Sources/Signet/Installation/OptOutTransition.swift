// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// An opt-out, or the end of one: writes the choice, what it withdraws, and its event.
///
/// An opt-out ends the session without an event of its end: the event of the choice is outside of sessions, and an
/// opt-in begins anew.
struct OptOutTransition {
    private let due: DueOptOut
    /// The last event that was logged before.
    private let last: UInt64

    /// - Parameters:
    ///   - due: The event that a later process would have to log.
    ///   - last: The last event that was logged before.
    init(_ due: DueOptOut, upTo last: UInt64) {
        self.due = due
        self.last = last
    }

    /// Writes it.
    ///
    /// Events are dropped by their moment, when a batch is cut, where a shared row has the choice.
    func write(_ machine: inout InstallationMachine, _ transaction: inout InstallationTransaction) {
        if transaction.scope.key == nil {
            self.choose(&machine, &transaction)
        } else {
            self.chooseForAll(&machine, &transaction)
        }
        transaction.step(&machine)
        let update = UserUpdate(optedOut: self.due.isOptedOut, of: machine.mpid)
        machine.log([update], optOut: self.due.messageID, &transaction)
    }

    private func choose(_ machine: inout InstallationMachine, _ transaction: inout InstallationTransaction) {
        let number = machine.state.number
        // These are written first and take effect only with the state: after a kill before it, nothing has happened.
        transaction.write(.put(self.due.encoded(), for: StateKey.dueOptOut(number)))
        guard self.due.isOptedOut else {
            // Once more, should the disk have refused it at the opt-out: a session of before goes on after no opt-in.
            transaction.saveSession(of: machine)
            machine.identity.setOptedOut(false)
            return machine.saveIdentity(&transaction)
        }
        // A repeated opt-out drops nothing: the event of the first one is among the waiting events.
        if !machine.isOptedOut {
            machine.state.optedOutAfter = self.last
            self.endActivities(of: &machine, &transaction)
            transaction.write(.put([1], for: StateKey.optOut(number, upTo: self.last)))
        }
        machine.identity.setOptedOut(true)
        machine.saveIdentity(&transaction)
        // After the choice: a kill before it leaves the session as it was.
        SessionTransition.drop(&machine, &transaction)
        transaction.saveSession(of: machine)
        transaction.add(.aliasesOptedOut(upTo: self.last))
        transaction.add(.optedOut)
    }

    private func chooseForAll(_ machine: inout InstallationMachine, _ transaction: inout InstallationTransaction) {
        let isOptedOut = self.due.isOptedOut
        if machine.isOptedOut, !isOptedOut { machine.shared.value.eventsFrom = self.due.milliseconds }
        if isOptedOut, !machine.isOptedOut { self.endActivities(of: &machine, &transaction) }
        machine.identity.setOptedOut(isOptedOut)
        let entry = SharedOutbox.OptOut(
            id: self.due.messageID,
            isOptedOut: isOptedOut,
            mpid: machine.mpid,
            at: self.due.milliseconds
        )
        transaction.note(entry)
        guard isOptedOut else { return }
        SessionTransition.drop(&machine, after: entry.previous, &transaction)
        transaction.add(.optedOut)
        transaction.add(.aliasesOptedOut(upTo: self.last))
    }

    /// Forgets what would tell of the time before after an opt-in: the breadcrumbs of a later crash, the begun timed
    /// events.
    private func endActivities(of machine: inout InstallationMachine, _ transaction: inout InstallationTransaction) {
        machine.breadcrumbs.removeAll(in: machine.state.directory, machine.state.number, &transaction)
        machine.timedEvents = TimedEvents()
    }
}
