// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetLock
import SignetModel
import SignetWire

/// Manages the Infobip profile of one installation, as its state machine decides.
///
/// It performs requests inside `run()`, one at a time and in order.
actor InfobipManager: LinkedManager {
    /// The state that callers read without waiting for the actor.
    struct Snapshot: Sendable {
        var user = InfobipUser()
        var installation = InfobipInstallation()
        var isDepersonalizationPending = false
        var hasPendingChanges = false
        var isRetired = false
    }

    nonisolated let installation: InstallationID
    nonisolated let snapshot: Locked<Snapshot>
    nonisolated let services: InfobipServices
    /// The id that the installation gave itself.
    let universalID: String
    /// True if the installation has opted out by now.
    let isOptedOut: @Sendable () -> Bool
    let store: InfobipStore
    /// The installation whose logins it follows.
    nonisolated let home = LinkedHomeReference()
    var machine: InfobipStateMachine
    // State of doing, not of deciding, and so not the machine's: data that must not be on disk, jobs and waiting
    // callers.
    /// Events that must not be on disk.
    private var unwritten: [UInt64: [UInt8]] = [:]
    /// The latest reported activity of the app.
    nonisolated let use = Locked(false)
    /// The memory as it was last persisted.
    private var saved: InfobipMemory
    private var promises: [Int: Promise<Result<InfobipSaveResult, SignetError>>] = [:]
    /// True while a job of this manager runs, or waits for `run()`.
    var isWorking = false
    var settling: [Promise<Void>] = []
    var tokens = TokenState()
    let wakeup = AsyncSignal()
    /// Distinguishes the job that counts one period of use from that of another.
    var activation = 0

    /// Restores the persisted state.
    ///
    /// - Parameters:
    ///   - installation: The installation of the profile.
    ///   - universalID: The id that the installation gave itself.
    ///   - store: The persisted profile.
    ///   - services: The services that all profiles share.
    ///   - isOptedOut: True if the installation has opted out by now.
    /// - Throws: The error of the disk; `newerFormat` if only a newer version can read the record.
    init(
        installation: InstallationID,
        universalID: String,
        store: InfobipStore,
        services: InfobipServices,
        isOptedOut: @escaping @Sendable () -> Bool
    ) throws(SignetError) {
        let configuration = services.configuration
        let application = InfobipApplication(code: configuration.applicationCode).hash
        let fresh = InfobipMemory(
            application: application,
            isPushRegistrationEnabled: configuration.isPushRegistrationEnabled
        )
        var memory = try store.load { services.reportDamage($0) } ?? fresh
        if memory.application != application {
            // Another application: only the device stays, and a registration that is no longer needed.
            let other = memory
            memory = fresh
            memory.token = other.token
            memory.former = other.former + (other.active.map { [$0.id] } ?? [])
            memory.nextEvent = other.nextEvent
            try store.save(memory)
            try store.remove(other.events)
            services.statistics.record { $0.infobipEventsDropped += other.events.count }
        }
        self.installation = installation
        self.universalID = universalID
        self.store = store
        self.services = services
        self.isOptedOut = isOptedOut
        var machine = InfobipStateMachine(
            restoring: memory,
            systemHash: services.requests.systemHash(memory.pushService),
            fresh: fresh
        )
        machine.device = configuration.device
        self.machine = machine
        self.saved = memory
        self.snapshot = Locked(Snapshot(machine))
    }

    // MARK: - Calls

    /// Performs a call, and waits for its result.
    func perform(_ call: InfobipCall) async throws(SignetError) -> InfobipSaveResult {
        try self.catchUp()
        let now = self.services.time.uptime
        let beginning = try self.decide { $0.begin(call, now: now) }
        self.work()
        switch beginning {
        case .ended(let result):
            return try result.get()
        case .waits(let ticket):
            let promise = Promise<Result<InfobipSaveResult, SignetError>>()
            self.promises[ticket] = promise
            do throws(SignetError) {
                try await self.awaitRun()
            } catch {
                // No run sends it; kept changes stay for the next run of the runtime.
                self.promises[ticket] = nil
                self.withdraw(ticket, error)
                guard error.code == .notRunning, call.isKept else { throw error }
                return .pending
            }
            guard let result = await promise.value() else { throw .cancelled }
            return try result.get()
        }
    }

    private func withdraw(_ ticket: Int, _ error: SignetError) {
        _ = self.machine.end([ticket], .failure(error))
    }

    /// Waits until the runtime runs.
    func awaitRun() async throws(SignetError) {
        let limit = self.services.configuration.requestTimeout
        switch await self.services.lifecycle.readiness(within: limit, on: self.services.time) {
        case .ready: return
        case .notRunning: throw .notRunning
        case .cancelled: throw .cancelled
        }
    }

    /// Sets another push token, or none.
    func setPushToken(_ token: InfobipPushToken?, isRestored: Bool) async throws(SignetError) {
        try self.catchUp()
        try self.decide { ((), $0.setPushToken(token, isRestored: isRestored)) }
        self.machine.systemHash = self.services.requests.systemHash(self.machine.memory.pushService)
        self.work()
    }

    /// Ends a former registration.
    func expire(_ registration: String) async throws(SignetError) {
        try self.decide { ((), $0.expire(registration)) }
        self.work()
    }

    /// Keeps an event until the service has it.
    func queue(_ element: [UInt8]) async throws(SignetError) {
        try self.catchUp()
        let now = self.services.time.uptime
        try self.decide { ((), $0.queue(element, now: now)) }
        self.work()
    }

    /// Retries pending work.
    func resume() async {
        self.machine.tryAgain()
        self.work()
    }

    /// Follows an opt-out of the installation.
    func optOut() async {
        do throws(SignetError) {
            try self.decide { ((), $0.optOut()) }
        } catch {
            self.services.statistics.record { $0.statesNotSaved += 1 }
            self.services.observer.stateNotSaved(installation: self.installation, error: error)
        }
    }

    /// Forgets everything, on disk too.
    func forget() async throws(SignetError) {
        try self.decide { ((), $0.forget()) }
        try self.store.removeAll()
    }

    /// Forgets the data left of the outgoing person, on disk too.
    func forgetLeft() async throws(SignetError) {
        // A login since then makes the previous person the outgoing one.
        try self.catchUp()
        try self.decide { ((), $0.forgetLeft()) }
        try self.store.removeStrays(besides: self.machine.memory.events)
    }

    /// Stops all writes; the memory stays as it is.
    package nonisolated func retire() {
        self.snapshot.withLock { $0.isRetired = true }
    }

    /// Ends the manager, and answers its waiting callers.
    package func stop() async {
        self.follow(self.machine.endAll(.failure(.notRunning)))
        self.settled()
    }

    // MARK: - Decisions

    /// Lets the machine decide, and follows its actions.
    ///
    /// A decision that the disk does not take has not happened.
    func decide<Result>(
        _ body: (inout InfobipStateMachine) -> (Result, [InfobipStateMachine.Action])
    ) throws(SignetError) -> Result {
        guard !self.snapshot.withLock({ $0.isRetired }) else { throw .closed }
        var machine = self.machine
        let (result, actions) = body(&machine)
        for case .store(let event) in actions where self.store.persistsUser { try self.store.save(event) }
        if machine.memory != self.saved { try self.save(machine.memory) }
        for case .store(let event) in actions where !self.store.persistsUser {
            self.unwritten[event.ordinal] = event.element
        }
        let isAnother = machine.memory.last.id != self.machine.memory.last.id
        self.machine = machine
        self.follow(actions)
        if isAnother { self.endTokenWait() }
        return result
    }

    private func save(_ memory: InfobipMemory) throws(SignetError) {
        guard !self.snapshot.withLock({ $0.isRetired }) else { return }
        try self.store.save(memory)
        self.saved = memory
    }

    /// Persists the decision, which stands even if the disk refuses it.
    ///
    /// - Returns: The error of the disk, if any.
    @discardableResult
    func saveNow() -> SignetError? {
        guard self.machine.memory != self.saved else { return nil }
        do throws(SignetError) {
            try self.save(self.machine.memory)
            return nil
        } catch {
            self.services.statistics.record { $0.statesNotSaved += 1 }
            self.services.observer.stateNotSaved(installation: self.installation, error: error)
            return error
        }
    }

    /// Publishes the persisted state, then notifies subscribers, then answers callers.
    func follow(_ actions: [InfobipStateMachine.Action]) {
        self.publish()
        var ends: [(Promise<Result<InfobipSaveResult, SignetError>>, Result<InfobipSaveResult, SignetError>)] = []
        for action in actions {
            switch action {
            case .tell(let kind):
                let notice = InfobipUpdate(installation: self.installation, kind: kind)
                self.services.changes.send(notice, of: self.installation)
            case .end(let ticket, let result):
                if let promise = self.promises.removeValue(forKey: ticket) { ends.append((promise, result)) }
            case .linked(let id, let kind): self.endOutboxEntry(id, kind)
            case .remove(let ordinals): self.remove(ordinals)
            case .drop(let ordinals):
                self.remove(ordinals)
                self.count(events: ordinals.count)
            case .dropChanges(let count): self.count(changes: count)
            case .save, .store: break
            }
        }
        for (promise, result) in ends { promise.resolve(result) }
    }

    private func count(changes: Int = 0, events: Int = 0) {
        guard changes + events > 0 else { return }
        self.services.statistics.record { statistics in
            statistics.infobipChangesDropped += changes
            statistics.infobipEventsDropped += events
        }
        for (count, kind) in [(changes, "change"), (events, "event")] where count > 0 {
            self.services.observer.serviceDataDropped(
                count,
                of: kind,
                service: .infobip,
                installation: self.installation,
                cause: nil
            )
        }
    }

    /// Removes events that the persisted memory no longer counts.
    private func remove(_ ordinals: [UInt64]) {
        for ordinal in ordinals { self.unwritten[ordinal] = nil }
        guard !self.snapshot.withLock({ $0.isRetired }) else { return }
        do throws(SignetError) {
            try self.store.remove(ordinals)
        } catch {
            self.services.statistics.record { $0.statesNotSaved += 1 }
            self.services.observer.stateNotSaved(installation: self.installation, error: error)
        }
    }

    /// Returns the events to send.
    func events(_ ordinals: [UInt64]) throws(SignetError) -> [[UInt8]] {
        guard self.store.persistsUser else { return ordinals.compactMap { self.unwritten[$0] } }
        return try self.store.events(ordinals) { self.services.reportDamage($0) }
    }

    func publish() {
        let new = Snapshot(self.machine)
        self.snapshot.withLock { snapshot in
            let isRetired = snapshot.isRetired
            snapshot = new
            snapshot.isRetired = isRetired
        }
    }
}

extension InfobipManager.Snapshot {
    init(_ machine: InfobipStateMachine) {
        self.init(
            user: machine.user,
            installation: machine.profile,
            isDepersonalizationPending: machine.isDepersonalizationPending,
            hasPendingChanges: machine.hasPendingChanges
        )
    }
}

extension InfobipCall {
    /// True if the call is kept until it is done.
    var isKept: Bool {
        switch self {
        case .saveUser, .saveInstallation, .depersonalize: true
        default: false
        }
    }
}
