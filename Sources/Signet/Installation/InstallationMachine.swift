// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// Everything that one installation decides, as a value: users, consent, opt-out, sessions, outbox.
///
/// It reads no clock and writes nothing. Its methods change the value and add writes to an ``InstallationTransaction``; an
/// ``InstallationStore`` carries the transaction out. A method may run again on a newer value, so it has no other effect.
struct InstallationMachine: Sendable {
    /// The phase of the installation's use.
    enum Phase: Sendable {
        /// Handles may use it.
        case open
        /// The app has ended; its session may still time out, and answers in flight are taken until the next open.
        case closed
        /// It has left memory, or another object has replaced it: nothing more is written.
        case retired
        /// Its reset has begun: it is retired for good.
        case reset

        /// True if nothing more is written.
        var isRetired: Bool {
            self == .retired || self == .reset
        }
    }

    // MARK: - Shared by all processes that have the installation

    /// The users, and the slot of the identity call under way.
    var identity: IdentityStateMachine
    var session: InstallationSession
    var outbox = InstallationOutbox()
    private(set) var phase = Phase.open
    /// The facts of a shared row that no other part has; empty if the installation is this process's alone.
    var shared = Box<SharedPart>()

    // MARK: - Of this process

    /// The number of the installation's own context.
    private(set) var own: UInt32
    /// The facts of an installation that is not on disk yet; nil once it is, and with a shared row.
    var unsaved: UnsavedInstallation?
    var breadcrumbs = InstallationBreadcrumbs()

    // MARK: - In memory only

    var messageIDs = MessageIDs()
    var timedEvents = TimedEvents()
    /// The number of alias requests so far.
    var aliasCount = 0

    /// Restores an installation.
    ///
    /// - Parameters:
    ///   - identity: The users from disk.
    ///   - sessions: The session machine, which knows the previous session.
    ///   - interrupted: The session that an earlier process left open.
    ///   - own: The number of the installation's own context.
    ///   - unsaved: The facts of an installation that is not on disk yet.
    init(
        identity: IdentityState,
        sessions: SessionStateMachine,
        interrupted: SessionTotals? = nil,
        own: UInt32 = 0,
        unsaved: UnsavedInstallation? = nil
    ) {
        self.identity = IdentityStateMachine(restoring: identity)
        self.session = InstallationSession(sessions, interrupted: interrupted)
        self.own = own
        self.unsaved = unsaved
    }

    // MARK: - Facts

    /// The users, consent and devices.
    var state: IdentityState {
        get { self.identity.state }
        set { self.identity.state = newValue }
    }

    /// The current user's MPID; nil before the first user.
    var mpid: MPID? {
        self.identity.state.directory.current
    }

    var isOptedOut: Bool {
        self.identity.state.isOptedOut
    }

    /// The session machine: begins, ends and totals.
    @inline(__always)
    var sessions: SessionStateMachine {
        self.session.machine
    }

    /// True if the registry must keep the installation in memory: its session never times out.
    var needsHolding: Bool {
        self.phase == .open && self.sessions.current != nil && self.sessions.deadline(.zero) == nil
    }

    /// - Throws: `closed` if handles may no longer use it.
    func requireOpen() throws(SignetError) {
        guard self.phase == .open else { throw .closed }
    }

    // MARK: - Life

    /// Takes the number and the context with which the installation is on disk from now on.
    mutating func becomeDurable(_ number: UInt32, _ own: UInt32) {
        self.identity.state.number = number
        (self.own, self.unsaved) = (own, nil)
    }

    /// Closes the installation after a clean exit of its app.
    ///
    /// - Returns: True if it was open until now.
    mutating func close() -> Bool {
        guard self.phase == .open else { return false }
        self.phase = .closed
        return true
    }

    /// Retires it without ending anything: the next open continues from the disk.
    mutating func retire() {
        if self.phase != .reset { self.phase = .retired }
    }

    /// Retires it for good, and announces that its user has left.
    ///
    /// - Returns: The reset; nil if there is nothing on disk to remove.
    mutating func reset(now: Int64, _ transaction: inout InstallationTransaction) -> InstallationReset? {
        let reset = self.isUnsaved ? nil : InstallationReset(number: self.state.number, id: transaction.id)
        if let reset {
            transaction.write(.put(reset.value, for: reset.key))
            transaction.add(.reset(reset))
        }
        if let user = self.state.directory.currentUser(now: now) {
            transaction.add(.userChange(previous: user, current: nil))
        }
        self.phase = .reset
        return reset
    }

    // MARK: - Parts that change together

    /// Asks for a look at the session's deadline, once.
    mutating func watch(_ transaction: inout InstallationTransaction) {
        guard case .alone = transaction.scope, self.phase == .open, !self.isOptedOut,
            let deadline = self.session.watch(transaction.moment.timeout)
        else { return }
        transaction.add(.watch(until: deadline))
    }

    /// Chooses the context that the installation's events carry from now on.
    mutating func choose(_ number: UInt32?, _ transaction: inout InstallationTransaction) {
        guard let number, number != self.own else { return }
        transaction.write(.chooseContext(number))
        self.own = number
    }

    /// Writes the users.
    func saveIdentity(_ transaction: inout InstallationTransaction) {
        transaction.write(.identity(self.state))
    }
}
