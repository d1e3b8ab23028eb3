//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import SignetLock
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// One installation in memory: who is known, which session is open, and the lock that orders what is logged.
///
/// All handles of an id share one. It lives while a handle, a live session or a request of it does.
final class InstallationCore: Sendable {
    /// How much of the installation is still in use.
    enum Phase: Sendable {
        /// Handles may use it.
        case open
        /// The app behind it has ended; its session may still time out, and answers on their way are taken until the
        /// next open.
        case closed
        /// It has left memory, or another object has taken its place: nothing is written any more.
        case retired
    }

    let id: InstallationID
    let services: RuntimeServices
    let registry: InstallationRegistry
    /// Runs the identity calls.
    let identity: IdentityManager
    let state: Locked<State>

    /// Makes the object of an installation and begins its session.
    ///
    /// The caller sees to it that there is one per id.
    ///
    /// - Parameters:
    ///   - id: The name.
    ///   - restored: What the disk remembers of identity; already written, also for a new installation.
    ///   - start: The call to make at the start, if any.
    ///   - retry: How often to try that.
    ///   - record: What the disk remembers of sessions.
    ///   - own: The number of what the disk remembers to be said of the installation.
    ///   - predecessor: The object whose place it takes, retired; nil when there was none in memory.
    ///   - registry: Where it is found; told when it closes.
    ///   - services: What all installations of the runtime share.
    init(
        id: InstallationID,
        restored: IdentityState,
        start: IdentityCall?,
        retry: RetryPolicy?,
        record: SessionRecord?,
        own: UInt32,
        after predecessor: InstallationCore?,
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
            after: predecessor?.identity.trafficToAwait,
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

    /// What the installation remembers of identity, as of now.
    var identityState: IdentityState {
        self.state.withLock { $0.identity }
    }

    /// The session now.
    var currentSession: Session? {
        self.state.withLock { $0.sessions.current }
    }

    /// How much of it is in use.
    var phase: Phase {
        self.state.withLock { $0.phase }
    }

    // MARK: - Life

    /// The installation was opened: its session begins, after the one that an earlier process left open has ended.
    ///
    /// One that has opted out has no sessions.
    func begin(interrupted: SessionTotals?, _ transition: Transition) -> DeferredEffects {
        var effects = DeferredEffects()
        let isOptedOut = self.state.withLock { state -> Bool in
            state.interrupted = interrupted.map { LeftOpen($0) }
            guard state.identity.isOptedOut else { return false }
            do throws(SignetError) {
                // Its events are dropped, and nobody else knows of them.
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

    /// The app behind it has ended in order.
    func close() {
        self.exit()
        self.registry.close(self)
        // What others logged meanwhile: from now on nothing is, and it may leave memory.
        self.foldNow()
    }

    /// The app ends in order: in an app, its session can time out from now on.
    func exit() {
        let rules = self.services.sessionRules
        guard rules.mode == .application || rules.reportsApplicationState else {
            self.foldNow()
            return
        }
        let effects = self.advance { sessions, now, timeout in sessions.exit(at: now, timeout) }
        self.tell(effects)
        // Without sessions, or closed before, there is nothing to write; anything else is the disk.
        if let error = effects.failure, error.code != .optOut, error.code != .closed {
            self.services.reportNotSaved(self.id, error)
        }
        self.saveLaunch(isClosedInOrder: true)
        self.foldNow()
    }

    /// Marks it as closed, for the registry.
    ///
    /// - Returns: Whether it was open until now.
    func markClosed() -> Bool {
        self.state.withLock { state in
            guard state.phase == .open else { return false }
            state.phase = .closed
            return true
        }
    }

    /// Whether the registry must keep it in memory.
    var needsHolding: Bool {
        self.state.withLock { $0.needsHolding }
    }

    /// It leaves memory as it is, without ending anything: what is on disk is what the next open finds.
    func retire() {
        self.state.withLock { $0.phase = .retired }
    }
}
