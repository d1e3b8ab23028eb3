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

/// Keeps the profile of one installation, and tells the service of it as its machine decides.
///
/// Requests are performed inside `run()`, one at a time and in order.
actor InfobipManager {
    /// What is read without waiting for the actor.
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
    /// Whether it has opted out as of now.
    let isOptedOut: @Sendable () -> Bool
    let store: InfobipStore
    /// The installation that it follows.
    nonisolated let home = LinkedHomeReference()
    var machine: InfobipStateMachine
    // What follows is of doing, not of deciding, and so not the machine's: what stands for a disk that is to have nothing of a
    // person, which jobs run, and who waits for them.
    /// Events that are not to be on disk.
    private var unwritten: [UInt64: [UInt8]] = [:]
    /// Whether the app is in use, as it was said last.
    nonisolated let use = Locked(false)
    /// What is on disk, as far as it may differ.
    private var saved: InfobipMemory
    private var promises: [Int: Promise<Result<InfobipSaveResult, SignetError>>] = [:]
    /// Whether a job of this manager runs, or waits for `run()`.
    var isWorking = false
    var settling: [Promise<Void>] = []
    let wakeup = AsyncSignal()
    /// Tells the job that counts one time of use from that of another.
    var activation = 0

    /// Restores what the disk remembers.
    ///
    /// - Parameters:
    ///   - installation: Whose profile.
    ///   - universalID: The id that it gave itself.
    ///   - store: Where it is remembered.
    ///   - services: What all profiles share.
    ///   - isOptedOut: Whether it has opted out as of now.
    /// - Throws: What the disk says; `newerFormat` for what only a newer version can read.
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
            // Of another application: nothing is left but the device, and a registration that nobody needs any more.
            let other = memory
            memory = fresh
            memory.token = other.token
            memory.former = other.former + (other.registration.map { [$0.id] } ?? [])
            memory.events = other.events.upperBound..<other.events.upperBound
            try store.save(memory)
            try store.remove(Array(other.events))
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

    /// Performs a call, and waits for what becomes of it.
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
                // Nobody sends it: what is kept stays for whoever runs the runtime next.
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

    /// Waits until somebody runs the runtime.
    func awaitRun() async throws(SignetError) {
        let limit = self.services.configuration.requestTimeout
        switch await self.services.lifecycle.readiness(within: limit, on: self.services.time) {
        case .ready: return
        case .notRunning: throw .notRunning
        case .cancelled: throw .cancelled
        }
    }

    /// The device has another push token, or none.
    func setPushToken(_ token: InfobipPushToken?, isRestored: Bool) async throws(SignetError) {
        try self.catchUp()
        try self.decide { ((), $0.setPushToken(token, isRestored: isRestored)) }
        self.machine.systemHash = self.services.requests.systemHash(self.machine.memory.pushService)
        self.work()
    }

    /// A registration from before is to be ended.
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

    /// There is a reason to go on with what was left.
    func resume() async {
        self.machine.tryAgain()
        self.work()
    }

    /// The installation has opted out.
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

    /// Forgets what is left of whoever is to go, on disk too.
    func forgetLeft() async throws(SignetError) {
        // Who has logged in since makes whoever it was go.
        try self.catchUp()
        try self.decide { ((), $0.forgetLeft()) }
        try self.store.removeStrays(besides: self.machine.memory.events)
    }

    /// It leaves memory as it is, and writes nothing any more.
    nonisolated func retire() {
        self.snapshot.withLock { $0.isRetired = true }
    }

    /// The end: whoever waits is answered.
    func stop() async {
        self.follow(self.machine.endAll(.failure(.notRunning)))
        self.settled()
    }

    // MARK: - Decisions

    /// Lets the machine decide, and does what it says: what the disk does not take has not happened.
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
        self.machine = machine
        self.follow(actions)
        return result
    }

    private func save(_ memory: InfobipMemory) throws(SignetError) {
        guard !self.snapshot.withLock({ $0.isRetired }) else { return }
        try self.store.save(memory)
        self.saved = memory
    }

    /// Writes down what was decided; what has happened stands even if the disk refuses it.
    ///
    /// - Returns: Why it could not be written.
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

    /// Persisted is it: now the fact, then the updates, then the callers.
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
            case .linked(let id, let kind): self.endLinked(id, kind)
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
        self.services.observer.infobipDataDropped(changes: changes, events: events, installation: self.installation)
    }

    /// The memory says already that they count no longer.
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

    /// Those that are to be sent.
    func events(_ range: Range<UInt64>) throws(SignetError) -> [[UInt8]] {
        let told = range.filter { !self.machine.memory.untold.contains($0) }
        guard self.store.persistsUser else { return told.compactMap { self.unwritten[$0] } }
        return try self.store.events(told) { self.services.reportDamage($0) }
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
            isDepersonalizationPending: machine.memory.depersonalization.isRequested,
            hasPendingChanges: machine.hasPendingChanges
        )
    }
}

extension InfobipCall {
    /// Whether what it asks for is kept until it is done.
    var isKept: Bool {
        switch self {
        case .saveUser, .saveInstallation, .depersonalize: true
        default: false
        }
    }
}
