// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

// An installation whose row is in a shared store: the machine is the last reading, with the events of this process since.
extension InstallationMachine {
    /// Takes over the facts of a row; those of this process stay.
    ///
    /// - Parameters:
    ///   - state: The state of the row.
    ///   - session: The open session of the row.
    ///   - activity: The events of this process that the row may lack.
    ///   - key: The row's key.
    ///   - moment: The moment of the reading.
    mutating func adopt(
        _ state: SharedState,
        _ session: SharedInstallation.OpenSession?,
        _ activity: [LocalActivity],
        _ key: UUID,
        at moment: InstallationMoment
    ) {
        let number = self.state.number
        self.state = state.identity
        self.state.number = number
        self.shared.value = state.part
        // Another replica has taken the choice: its call could not reach them.
        self.timedEvents.forget(before: state.identity.isOptedOut ? .max : state.part.eventsFrom ?? .min)
        let stamp = state.identity.deviceApplicationStamp
        self.session.adopt(session, state.part, activity, (key, stamp), at: moment)
    }

    /// Logs an anonymous event outside of sessions: the row, which was read too long ago, says whose it is.
    mutating func logUnread(
        _ event: (details: EventDetails, urgency: EventMetadata.Urgency)?,
        _ context: UInt32?,
        _ transaction: inout InstallationTransaction
    ) {
        self.choose(context, &transaction)
        guard let event else { return }
        let now = transaction.moment.now.milliseconds
        let moment = EventTimestamp(now, self.messageIDs.next(), nil)
        let context = transaction.moment.context
        let frame = self.frame(event.details, moment, of: nil, urgency: event.urgency, context: context)
        transaction.write(.event(frame))
        transaction.step(&self)
    }

    /// Ends the session if it is over; see ``SharedSessionRules``.
    ///
    /// - Parameters:
    ///   - told: The moment up to which all replicas have told their activity: the row may be newer than the one that was looked at.
    ///   - transaction: The transaction.
    mutating func endIfOver(told: Int64, _ transaction: inout InstallationTransaction) {
        guard !self.isOptedOut else {
            self.session.drop(after: self.sessions.previous)
            return transaction.step(&self)
        }
        let moment = transaction.moment
        let moved = self.session.moved { $0.timeOut(at: moment.limited(to: told), moment.timeout) }
        SessionTransition().write(moved, &self, &transaction)
    }

    /// Begins the session that this process has logged events for, if no replica has told of one: else a call right after the first
    /// event would find none.
    ///
    /// - Parameters:
    ///   - activity: The events that the store was not told of.
    ///   - key: The row's key.
    ///   - transaction: The transaction.
    /// - Returns: The events of the session that begins; nil if none does.
    mutating func begin(
        oneOf activity: [LocalActivity],
        _ key: UUID,
        _ transaction: inout InstallationTransaction
    ) -> LocalActivity? {
        guard self.sessions.current == nil else { return nil }
        for own in activity where self.succeed(with: own, key, told: .min, &transaction) { return own }
        return nil
    }

    /// Begins the session that this process has logged events for: the first one, or after one that was over.
    ///
    /// - Parameters:
    ///   - activity: The events that were logged for it.
    ///   - key: The row's key.
    ///   - told: The moment up to which all replicas have told their activity, in milliseconds since 1970.
    ///   - transaction: The transaction.
    /// - Returns: False if it is not the successor of the row's session.
    mutating func succeed(
        with activity: LocalActivity,
        _ key: UUID,
        told: Int64,
        _ transaction: inout InstallationTransaction
    ) -> Bool {
        let row = (key, self.state.deviceApplicationStamp)
        guard !self.phase.isRetired, !self.isOptedOut,
            let moved = self.session.succeeded(by: activity, row, told: told, at: transaction.moment)
        else { return false }
        SessionTransition().write(moved, &self, &transaction)
        return true
    }
}
