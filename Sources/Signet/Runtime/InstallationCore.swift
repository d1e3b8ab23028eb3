// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// One installation in memory: its users, its open session, and the lock that orders its events.
///
/// All handles of an id share one object. It lives while a handle, a live session or a request of it does.
final class InstallationCore: Sendable {
    /// The phase of the installation's use.
    enum Phase: Sendable {
        /// Handles may use it.
        case open
        /// The app has ended; its session may still time out, and answers in flight are taken until the next open.
        case closed
        /// It has left memory, or another object has replaced it: nothing more is written.
        case retired
    }

    let id: InstallationID
    let services: RuntimeServices
    let registry: InstallationRegistry
    /// Runs the identity calls.
    let identity: IdentityManager
    let state: Locked<State>

    /// Makes the object of an installation and starts its first identity call, if any.
    ///
    /// The caller guarantees one object per id.
    ///
    /// - Parameters:
    ///   - id: The installation's id.
    ///   - restored: The identity state from disk; already saved, also for a new installation.
    ///   - start: The identity call at the start, if any.
    ///   - retry: The retry policy of that call.
    ///   - record: The session record from disk.
    ///   - own: The number of the installation's own context on disk.
    ///   - request: The identity request in progress of the objects before this one; nil if there is none.
    ///   - registry: The registry that holds it, notified when it closes.
    ///   - services: The services that all installations of the runtime share.
    init(
        id: InstallationID,
        restored: IdentityState,
        start: IdentityCall?,
        retry: RetryPolicy?,
        record: SessionRecord?,
        own: UInt32,
        after request: Promise<Void>?,
        registry: InstallationRegistry,
        services: RuntimeServices
    ) {
        var machine = IdentityStateMachine(restoring: restored)
        var startNumber: Int?
        var refusedStart: IdentityOutcome?
        if let start {
            switch machine.begin(start, mayWait: true, now: services.time.milliseconds) {
            case .start(let number), .wait(let number): startNumber = number
            case .finish(let outcome): refusedStart = outcome
            }
        }
        let home = IdentityHomeReference()
        self.id = id
        self.registry = registry
        self.services = services
        self.identity = IdentityManager(
            installation: id,
            machine: machine,
            start: startNumber.map { ($0, retry) },
            refusedStart: refusedStart,
            after: request,
            home: home,
            services: services.identity
        )
        self.state = Locked(
            State(
                identity: restored,
                sessions: SessionStateMachine(rules: services.sessionRules, previous: record?.previous),
                own: own,
                lastFrame: services.journal.lastSequence
            )
        )
        home.set(self)
    }

    // MARK: - Facts

    /// The current identity state.
    var identityState: IdentityState {
        self.state.withLock { $0.identity }
    }

    /// The current session.
    var currentSession: Session? {
        self.state.withLock { $0.sessions.current }
    }

    /// The current phase.
    var phase: Phase {
        self.state.withLock { $0.phase }
    }

    // MARK: - Life

    /// Begins the session of an opened installation, after ending the one that an earlier process left open.
    ///
    /// An opted-out installation has no sessions.
    func begin(interrupted: SessionTotals?, _ transition: Transition) -> DeferredEffects {
        var effects = DeferredEffects()
        let isOptedOut = self.state.withLock { state -> Bool in
            state.interrupted = interrupted.map { LeftOpen($0) }
            guard state.identity.isOptedOut else { return false }
            do throws(SignetError) {
                // Its events are dropped, so only this record keeps the session.
                if let interrupted { try self.writeSession(state.sessions, interrupted, state) }
                try self.choose(transition.context, &state)
            } catch {
                effects.failure = error
            }
            return true
        }
        guard !isOptedOut else { return effects }
        return self.advance(transition) { sessions, now, _ in
            let begins = sessions.rules.begins(at: transition.launch)
            let actions = begins ? sessions.begin(at: now, newID: self.services.newSessionID) : []
            return transition.launch == nil ? actions : actions + sessions.launch()
        }
    }

    /// Closes the installation after a clean exit of its app.
    func close() {
        self.exit()
        self.registry.close(self)
        // Folds events logged meanwhile: nothing is logged from now on, and it may leave memory.
        self.foldNow()
    }

    /// Records a clean exit of the app; in application mode, the session can time out from now on.
    func exit() {
        let rules = self.services.sessionRules
        guard rules.mode == .application || rules.reportsApplicationState else {
            self.foldNow()
            return
        }
        let effects = self.advance { sessions, now, timeout in sessions.exit(at: now, timeout) }
        self.tell(effects)
        // Opted out or already closed, there is nothing to write; any other error comes from the disk.
        if let error = effects.failure, error.code != .optedOut, error.code != .closed {
            self.services.reportNotSaved(self.id, error)
        }
        self.saveLaunch(isClosedInOrder: true)
        self.foldNow()
    }

    /// Marks the installation as closed, for the registry.
    ///
    /// - Returns: True if it was open until now.
    func markClosed() -> Bool {
        self.state.withLock { state in
            guard state.phase == .open else { return false }
            state.phase = .closed
            return true
        }
    }

    /// True if the registry must keep it in memory.
    var needsHolding: Bool {
        self.state.withLock { $0.needsHolding }
    }

    /// Retires it without ending anything: the next open continues from the disk.
    func retire() {
        self.state.withLock { $0.phase = .retired }
    }
}
