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

    private struct State {
        var phase = Phase.open
        var identity: IdentityState
        var sessions: SessionStateMachine
        /// Whether the session manager will look at the session.
        var isWatched = false
        /// The length of the open session that was last written down.
        var savedLength = Duration.zero
        /// What an earlier process left open and is still to be ended: nothing is while the installation has opted out.
        var leftOpen: StoredSession?

        /// Whether nothing but the registry would keep it in memory, though its session lives: an app in the foreground.
        var needsHolding: Bool {
            self.phase == .open && self.sessions.current != nil && self.sessions.deadline == nil
        }
    }

    let id: InstallationID
    let services: RuntimeServices
    private let registry: InstallationRegistry
    /// Runs the identity calls.
    let identity: IdentityManager
    private let state: Locked<State>

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
        return isOptedOut ? Aftermath() : self.advance { $0.activity(at: $1, newID: UUID.random) }
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
        try self.conclude(self.advance { sessions, now in sessions.enterForeground(at: now, newID: UUID.random) })
    }

    // MARK: - Events

    /// Logs an event: when this returns, the event survives the death of the process.
    func log(_ event: Event) throws(SignetError) {
        if let violation = EventLimits.violation(of: event) {
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        try self.conclude(self.advance(event: event) { $0.activity(at: $1, newID: UUID.random) })
    }

    /// Moves the session machine and writes what follows from it, then the event, in this order, under the lock: the
    /// order of the journal is the order of this lock.
    ///
    /// What the disk has taken has happened, also when it refuses what comes after.
    private func advance(
        event: Event? = nil,
        _ move: (inout SessionStateMachine, SessionMoment) -> [SessionStateMachine.Action]
    ) -> Aftermath {
        self.state.withLock { state in
            guard state.phase == .open else { return Aftermath(failure: .closed) }
            guard !state.identity.isOptedOut else { return Aftermath(failure: .eventOptOut) }
            let now = SessionMoment(self.services.time)
            let writer = InstallationWriter(id: self.id, services: self.services, identity: state.identity)
            let wasHeld = state.needsHolding
            var next = state.sessions
            var actions = state.leftOpen.map { next.open(leftOpen: $0, at: now, newID: UUID.random) } ?? []
            actions += move(&next, now)
            var aftermath = Aftermath()
            // An event that is refused for itself leaves no session behind: it is looked at before anything is written.
            var body: [UInt8]?
            do throws(SignetError) {
                if let event { body = try writer.encode(event, at: now.milliseconds, session: next.current) }
            } catch {
                return Aftermath(failure: error)
            }
            let written = self.write(actions, moving: &state, to: next, by: writer, &aftermath)
            // Its end is the first of the actions.
            if written > 0 { state.leftOpen = nil }
            aftermath.isHoldingChanged = wasHeld != state.needsHolding
            if let body, aftermath.failure == nil {
                do throws(SignetError) {
                    try writer.append(body, of: state.sessions.current, urgency: event?.urgency ?? .regular)
                } catch {
                    aftermath.failure = error
                }
            }
            if !state.isWatched, let deadline = state.sessions.deadline {
                state.isWatched = true
                aftermath.deadline = deadline
            }
            return aftermath
        }
    }

    /// Writes begins and ends, and makes what was written the state.
    ///
    /// - Returns: How many of the actions were written.
    private func write(
        _ actions: [SessionStateMachine.Action],
        moving state: inout State,
        to next: SessionStateMachine,
        by writer: InstallationWriter,
        _ aftermath: inout Aftermath
    ) -> Int {
        let (written, failure) = writer.write(actions)
        aftermath.failure = failure
        guard failure == nil || written > 0 else { return 0 }
        state.sessions = next
        // Only an end is ever followed by a begin, so that what is missing after a write is the begin.
        if failure != nil { state.sessions.withdrawBegin() }
        let stored = state.sessions.stored
        // The last activity is written down once a second at most: a session that is cut off ends to the second.
        if written > 0 || (stored?.length ?? .zero) - state.savedLength >= .seconds(1) {
            state.savedLength = stored?.length ?? .zero
            do throws(SignetError) {
                try writer.save(stored)
            } catch {
                aftermath.notSaved = error
            }
        }
        aftermath.resumptions = writer.news(actions.prefix(written))
        return written
    }

    /// What is to be done once no lock is held.
    struct Aftermath {
        /// Why what was asked for was not done.
        var failure: SignetError?
        /// Why the open session was not written down.
        var notSaved: SignetError?
        /// Subscribers who waited for news.
        var resumptions: [Resumption] = []
        /// When the session manager is to look at the session; nil when it does already, or need not.
        var deadline: Duration?
        /// Whether the registry is to keep the object in memory from now on, or no longer.
        var isHoldingChanged = false
    }

    /// Tells those who wait.
    ///
    /// Call it holding no lock.
    func tell(_ aftermath: Aftermath) {
        for resumption in aftermath.resumptions { resumption.resume() }
        if let error = aftermath.notSaved { self.services.reportNotSaved(self.id, error) }
        self.services.intake.eventLogged()
        if aftermath.isHoldingChanged { self.registry.reconsider(self) }
        if let deadline = aftermath.deadline { self.services.sessions.watch(self, until: deadline) }
    }

    private func conclude(_ aftermath: Aftermath) throws(SignetError) {
        self.tell(aftermath)
        if let failure = aftermath.failure { throw failure }
    }
}

extension Event {
    /// How soon it wants to be delivered.
    fileprivate var urgency: EventTag.Urgency {
        if case .purchase = self.content { .prompt } else { .regular }
    }
}

extension InstallationCore: SessionHolder {
    func timeOutSession() -> Duration? {
        var aftermath = Aftermath()
        let next = self.state.withLock { state -> Duration? in
            state.isWatched = false
            guard state.phase != .retired else { return nil }
            var next = state.sessions
            let actions = next.timeOut(at: SessionMoment(self.services.time))
            let writer = InstallationWriter(id: self.id, services: self.services, identity: state.identity)
            _ = self.write(actions, moving: &state, to: next, by: writer, &aftermath)
            // When the disk refuses the end, the session stays, and is looked at again after another timeout.
            let deadline =
                aftermath.failure == nil
                ? state.sessions.deadline : self.services.time.uptime + self.services.sessionTimeout
            state.isWatched = deadline != nil
            return deadline
        }
        for resumption in aftermath.resumptions { resumption.resume() }
        if let error = aftermath.failure ?? aftermath.notSaved { self.services.reportNotSaved(self.id, error) }
        self.services.intake.eventLogged()
        return next
    }
}

extension InstallationCore: IdentityHome {
    var isRetired: Bool {
        self.phase == .retired
    }

    func commit(_ state: IdentityState, change: (previous: User?, current: User)?, firstUser: MPID?) -> Bool {
        let committed = self.state.withLock { own -> (failure: SignetError?, resumptions: [Resumption])? in
            guard own.phase != .retired else { return nil }
            var failure: SignetError?
            do throws(SignetError) {
                try self.services.store.put(state.encoded(), for: StateKey.identity(self.id))
            } catch {
                failure = error
            }
            own.identity = state
            guard let change else { return (failure, []) }
            let news = UserChange(installation: self.id, previous: change.previous, current: change.current)
            return (failure, self.services.userChanges.stage(news, of: self.id))
        }
        // Retired: the answer is lost, and nobody may inherit by it what the next object still holds for its first user.
        guard let (failure, resumptions) = committed else { return false }
        if let failure { self.services.reportNotSaved(self.id, failure) }
        if let firstUser { self.services.intake.adopted(self.id, by: firstUser) }
        for resumption in resumptions { resumption.resume() }
        return true
    }

    func save(_ state: IdentityState) throws(SignetError) {
        try self.state.withLock { own throws(SignetError) in
            guard own.phase == .open else { throw .closed }
            try self.services.store.put(state.encoded(), for: StateKey.identity(self.id))
            own.identity = state
        }
    }
}
