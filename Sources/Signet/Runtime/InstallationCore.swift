//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

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

    struct State {
        var phase = Phase.open
        var identity: IdentityState
        var sessions: SessionStateMachine
        /// What events of the open session say of it.
        var session: SessionMembers?
        var messageIDs = MessageIDs()
        var timedEvents = TimedEvents()
        var breadcrumbs = BreadcrumbTrail()
        /// Whether the session manager will look at the session.
        var isWatched = false
        /// The length of the open session that was last written down.
        var savedLength = Duration.zero
        /// What an earlier process left open and is still to be ended: nothing is while the installation has opted out.
        var leftOpen: StoredSession?
        /// Up to which removal of attributes a batch tells of them, by user.
        var carriedRemovals: [MPID: Int64] = [:]

        /// Whether the last activity is to be written down: once a second at most, so that a session that is cut off ends
        /// to the second.
        var isSaveDue: Bool {
            (self.sessions.length ?? .zero) - self.savedLength >= .seconds(1)
        }

        /// Whether nothing but the registry would keep it in memory, though its session lives: an app in the foreground.
        var needsHolding: Bool {
            self.phase == .open && self.sessions.current != nil && self.sessions.deadline == nil
        }
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
    ///   - predecessor: The object whose place it takes, retired; nil when there was none in memory.
    ///   - registry: Where it is found; told when it closes.
    ///   - services: What all installations of the runtime share.
    init(
        id: InstallationID,
        restored: IdentityState,
        start: IdentityCall?,
        retry: RetryPolicy?,
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
                sessions: SessionStateMachine(mode: services.sessionMode, timeout: services.sessionTimeout)
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
    func begin(leftOpen: StoredSession?) -> Aftermath {
        let isOptedOut = self.state.withLock { state in
            state.leftOpen = leftOpen
            return state.identity.isOptedOut
        }
        return isOptedOut ? Aftermath() : self.advance { $0.activity(at: $1, newID: self.services.newSessionID) }
    }

    /// The app behind it has ended in order.
    func close() {
        if self.services.sessionMode == .application {
            // An app that has ended is in the background for good: its session can time out.
            let aftermath = self.advance { sessions, now in sessions.enterBackground(at: now) }
            self.tell(aftermath)
            // Without sessions, or closed before, there is nothing to write; anything else is the disk.
            if let error = aftermath.failure, error.code != .optOut, error.code != .closed {
                self.services.reportNotSaved(self.id, error)
            }
        }
        self.registry.close(self)
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

    // MARK: - Application state

    /// The app goes to the background.
    func enterBackground() throws(SignetError) {
        try self.conclude(self.advance { sessions, now in sessions.enterBackground(at: now) })
    }

    /// The app comes to the foreground.
    func enterForeground() throws(SignetError) {
        try self.conclude(
            self.advance { sessions, now in sessions.enterForeground(at: now, newID: self.services.newSessionID) }
        )
    }
}
