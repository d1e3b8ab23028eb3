//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
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
        /// The app behind it has ended; its session may still time out and answers on their way are still taken.
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
    func begin(leftOpen: StoredSession?) throws(SignetError) -> Aftermath {
        guard !self.identityState.isOptedOut else { return Aftermath() }
        return try self.advance { sessions, now in sessions.open(leftOpen: leftOpen, at: now, newID: UUID.random) }
    }

    /// The app behind it has ended in order.
    func close() {
        self.state.withLock { state in
            if state.phase == .open { state.phase = .closed }
        }
        self.registry.forgetLaunch(of: self.id)
    }

    /// It leaves memory as it is, without ending anything: what is on disk is what the next open finds.
    func retire() {
        self.state.withLock { $0.phase = .retired }
    }

    // MARK: - Application state

    /// The app goes to the background.
    func enterBackground() throws(SignetError) {
        self.tell(try self.advance { sessions, now in sessions.enterBackground(at: now) })
    }

    /// The app comes to the foreground.
    func enterForeground() throws(SignetError) {
        self.tell(try self.advance { sessions, now in sessions.enterForeground(at: now, newID: UUID.random) })
    }

    // MARK: - Events

    /// Logs an event: when this returns, the event survives the death of the process.
    func log(_ event: Event) throws(SignetError) {
        if let violation = EventLimits.violation(of: event) {
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        let urgency: EventTag.Urgency = if case .purchase = event.content { .prompt } else { .regular }
        let aftermath = try self.advance(event: event, urgency: urgency) { sessions, now in
            sessions.activity(at: now, newID: UUID.random)
        }
        self.tell(aftermath)
    }

    /// Moves the session machine and writes what follows from it, then the event, in this order, under the lock: the
    /// order of the journal is the order of this lock.
    ///
    /// Nothing changes when the disk refuses.
    private func advance(
        event: Event? = nil,
        urgency: EventTag.Urgency = .regular,
        _ move: (inout SessionStateMachine, SessionMoment) -> [SessionStateMachine.Action]
    ) throws(SignetError) -> Aftermath {
        try self.state.withLock { state throws(SignetError) in
            guard state.phase == .open else { throw .closed }
            guard !state.identity.isOptedOut else { throw .eventOptOut }
            let now = SessionMoment(self.services.time)
            var next = state.sessions
            let actions = move(&next, now)
            let writer = InstallationWriter(id: self.id, services: self.services, identity: state.identity)
            try writer.write(actions, isStored: next.stored)
            if let event { try writer.write(event, at: now.milliseconds, session: next.current, urgency: urgency) }
            state.sessions = next
            var aftermath = Aftermath(resumptions: writer.news(actions))
            if !state.isWatched, let deadline = next.deadline {
                state.isWatched = true
                aftermath.deadline = deadline
            }
            return aftermath
        }
    }

    /// What is to be done once no lock is held.
    struct Aftermath {
        /// Subscribers who waited for news.
        var resumptions: [Resumption] = []
        /// When the session manager is to look at the session; nil when it does already, or need not.
        var deadline: Duration?
    }

    /// Tells those who wait.
    ///
    /// Call it holding no lock.
    func tell(_ aftermath: Aftermath) {
        for resumption in aftermath.resumptions { resumption.resume() }
        self.services.intake.eventLogged()
        if let deadline = aftermath.deadline { self.services.sessions.watch(self, until: deadline) }
    }
}

extension InstallationCore: SessionHolder {
    func timeOutSession() -> Duration? {
        let (resumptions, deadline) = self.state.withLock { state -> ([Resumption], Duration?) in
            state.isWatched = false
            guard state.phase != .retired else { return ([], nil) }
            var next = state.sessions
            let actions = next.timeOut(at: SessionMoment(self.services.time))
            let writer = InstallationWriter(id: self.id, services: self.services, identity: state.identity)
            do throws(SignetError) {
                try writer.write(actions, isStored: next.stored)
            } catch {
                // The disk refuses the end: the session stays, and is looked at again after another timeout.
                self.services.reportNotSaved(self.id, error)
                state.isWatched = true
                return ([], self.services.time.uptime + self.services.sessionTimeout)
            }
            state.sessions = next
            state.isWatched = next.deadline != nil
            return (writer.news(actions), next.deadline)
        }
        for resumption in resumptions { resumption.resume() }
        if !resumptions.isEmpty { self.services.intake.eventLogged() }
        return deadline
    }
}

extension InstallationCore: IdentityHome {
    var isRetired: Bool {
        self.phase == .retired
    }

    func commit(_ state: IdentityState, change: (previous: User?, current: User)?, firstUser: MPID?) {
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
        guard let (failure, resumptions) = committed else { return }
        if let failure { self.services.reportNotSaved(self.id, failure) }
        if let firstUser { self.services.intake.adopted(self.id, by: firstUser) }
        for resumption in resumptions { resumption.resume() }
    }

    func save(_ state: IdentityState) throws(SignetError) {
        try self.state.withLock { own throws(SignetError) in
            guard own.phase == .open else { throw .closed }
            try self.services.store.put(state.encoded(), for: StateKey.identity(self.id))
            own.identity = state
        }
    }
}
