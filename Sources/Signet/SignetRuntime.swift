// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
public import SignetTransport
import SignetWire

/// Tracks the user and session of each installation, and delivers all events.
///
/// One per process and workspace; it owns the directory.
/// ``open(_:identify:context:retry:deviceApplicationStamp:launchReferral:)``, logging and reading take effect
/// immediately. ``run()`` performs the requests; call it once:
///
/// ```swift
/// try await withSignet(configuration, transport: transport) { signet in
///     let visitor = try signet.open("cookie-17")
///     try await visitor.login([.customerID: "c-17"])
///     try visitor.log(.custom("level_completed", attributes: ["level": 4]))
/// }
/// ```
public final class SignetRuntime: Sendable {
    let configuration: SignetConfiguration
    let services: RuntimeServices
    let registry: InstallationRegistry
    let lifecycle: RuntimeLifecycle
    let jobs: WorkQueue
    let events: EventQueue
    let disk: RuntimeDisk
    /// Lets one erasure go on at a time.
    let erasures = ErasureLock()
    /// Resolved when a shutdown lets `run()` return.
    let release = Promise<Void>()
    /// Resolved by a shutdown: true if it has finished all calls and delivered all data.
    let drained = Promise<Bool>()

    /// Opens the directory and restores its state.
    ///
    /// Sends nothing.
    ///
    /// - Parameters:
    ///   - configuration: The settings; checked as a whole.
    ///   - services: The services that follow the users and events, such as `IterableService`; each at most once.
    ///   - transport: The transport to the platform.
    ///   - observer: The receiver of reports; nil for none.
    /// - Throws: `invalidConfiguration`; `directoryInUse` when another runtime, here or in another process, has it;
    ///   `directoryUnusable`; `workspaceMismatch` when it belongs to another key; `newerFormat`; `diskFull`,
    ///   `diskFailed`.
    public init(
        _ configuration: SignetConfiguration,
        services: [any SignetService] = [],
        transport: any Transport,
        observer: (any SignetObserver)? = nil
    ) throws(SignetError) {
        let definitions = services.map(\.definition)
        try configuration.validate(with: definitions)
        let observer = observer ?? SilentObserver()
        let statistics = StatisticsRecorder()
        let builder = try RequestBuilder(configuration)
        let disk = try RuntimeDisk(configuration, services: definitions, observer: observer, statistics: statistics)
        let lifecycle = RuntimeLifecycle()
        let jobs = WorkQueue()
        let registry = InstallationRegistry()
        let ingress = EventIngress(interval: configuration.effectiveUploadInterval)
        let dispatcher = NetworkDispatcher(
            transport: transport,
            builder: builder,
            time: configuration.time,
            observer: observer,
            statistics: statistics,
            limits: [
                .identity: configuration.identity.maximumInFlight,
                .events: configuration.events.maximumInFlight,
                .alias: 1,
            ]
        )
        let numbers = try InstallationNumbers(store: disk.store)
        let contexts = try BatchContexts(store: disk.store, current: BatchContext(configuration))
        let ownContexts = InstallationContexts(store: disk.store)
        let memory = OverflowBuffer(journal: disk.journal, limit: configuration.events.storage.memoryLimit)
        let users = UserLookup(registry: registry, store: disk.store)
        let left = SessionRecovery(journal: disk.journal, store: disk.store, numbers: numbers)
        let settled = AsyncSignal()
        let events = EventQueue(
            services: EventServices(
                journal: disk.journal,
                memory: memory,
                store: disk.store,
                numbers: numbers,
                contexts: contexts,
                ownContexts: ownContexts,
                dispatcher: dispatcher,
                jobs: jobs,
                ingress: ingress,
                statistics: statistics,
                observer: observer,
                configuration: configuration,
                users: EventUsers(
                    user: { id, mpid throws(SignetError) in try users.batchUser(id, mpid) },
                    anonymousAttributions: { id throws(SignetError) in try users.anonymousAttributions(id) },
                    removalsCarried: { id, mpid, number throws(SignetError) in
                        try users.removalsCarried(id, mpid, upTo: number)
                    },
                    departedCarried: { id, number, isDone throws(SignetError) in
                        try users.departedCarried(id, number, isDone)
                    },
                    optedOutAfter: { id throws(SignetError) in try users.optedOutAfter(id) },
                    number: { id throws(SignetError) in try users.number(id) }
                ),
                fold: { number, id throws(SignetError) in
                    if let core = registry.find(id) { try core.fold() } else { try left.fold(number) }
                },
                settled: { settled.signal() }
            )
        )
        let aliasOutcomes = Broadcast<AliasOutcome>()
        let aliases = AliasQueue(
            services: AliasServices(
                dispatcher: dispatcher,
                store: disk.store,
                observer: observer,
                outcomes: aliasOutcomes,
                configuration: configuration,
                optedOutAfter: { id throws(SignetError) in try users.optedOutAfter(id) },
                firstSettled: { await events.firstSettled($0) }
            ),
            wakeup: settled
        )
        let linked = try LinkedServices(
            StoredServices(disk.store, definitions),
            LinkedServiceContext(
                store: disk.store,
                transport: transport,
                jobs: jobs,
                lifecycle: lifecycle,
                time: configuration.time,
                observer: observer,
                statistics: statistics,
                jitter: configuration.jitter,
                tracksApplicationState: configuration.sessions.mode == .application,
                isOptedOut: { [weak registry] id in registry?.find(id)?.identityState.isOptedOut ?? false }
            )
        )
        self.configuration = configuration
        self.registry = registry
        self.lifecycle = lifecycle
        self.jobs = jobs
        self.events = events
        self.disk = disk
        self.services = RuntimeServices(
            store: disk.store,
            journal: disk.journal,
            memory: memory,
            ingress: ingress,
            numbers: numbers,
            contexts: contexts,
            ownContexts: ownContexts,
            identity: IdentityServices(
                dispatcher: dispatcher,
                jobs: jobs,
                lifecycle: lifecycle,
                observer: observer,
                configuration: configuration
            ),
            sessions: SessionManager(time: configuration.time),
            sessionRecovery: left,
            events: events,
            aliases: aliases,
            aliasOutcomes: aliasOutcomes,
            linked: linked,
            statistics: statistics,
            observer: observer,
            configuration: configuration,
            gate: disk.gate
        )
        try self.logDueOptOuts()
    }

    /// Releases a runtime that was not shut down, after its last reference; the directory is free afterwards.
    deinit {
        self.jobs.close()
        // Objects that are kept in memory for their live session refer to the registry that keeps them.
        self.registry.close()
        self.services.identity.active.removeAll()
        self.close()
    }

    // MARK: - Sessions

    /// The current time without an event after which a session ends.
    public var sessionTimeout: Duration {
        self.services.sessionTimeout
    }

    /// Changes the time without an event after which a session ends, for open sessions too.
    ///
    /// It lasts until the end of this runtime.
    ///
    /// - Parameter timeout: At least 1 s; there is no maximum.
    /// - Throws: `invalidArgument`.
    public func setSessionTimeout(_ timeout: Duration) throws(SignetError) {
        guard timeout >= .seconds(1) else {
            throw SignetError(
                .invalidArgument,
                "A session timeout of \(timeout) is too short; at least 1 s is allowed."
            )
        }
        self.services.timeout.value = timeout
        self.services.sessions.review()
    }

    // MARK: - Delivery

    /// The current time that events wait for others.
    public var uploadInterval: Duration {
        self.services.ingress.interval
    }

    /// Changes the time that events wait for others (``SignetConfiguration/Events/uploadInterval``), also for waiting
    /// events.
    ///
    /// A wait under way counts from its begin: if the new interval is over by then, its events are sent immediately.
    /// The same value again changes nothing, so repeated calls delay nothing. It lasts until the end of this runtime.
    ///
    /// - Parameter interval: At least 1 s; there is no maximum.
    /// - Throws: `invalidArgument`; then nothing was changed.
    public func setUploadInterval(_ interval: Duration) throws(SignetError) {
        guard interval >= .seconds(1) else {
            throw SignetError(
                .invalidArgument,
                "An upload interval of \(interval) is too short; at least 1 s is allowed. Use upload() to upload now."
            )
        }
        self.services.ingress.setInterval(interval)
    }

    // MARK: - Updates and numbers

    /// User changes of all installations, from this call on.
    ///
    /// Subscribes at once. Up to 1024 updates wait for the reader; then the oldest are dropped (``Updates/droppedCount``).
    public func userChanges() -> Updates<UserChange> {
        Updates(self.services.userChanges, of: nil)
    }

    /// Session changes of all installations, from this call on.
    ///
    /// Subscribes at once. Up to 1024 updates wait for the reader; then the oldest are dropped (``Updates/droppedCount``).
    public func sessionChanges() -> Updates<SessionChange> {
        Updates(self.services.sessionChanges, of: nil)
    }

    /// Outcomes of alias requests of all installations, from this call on.
    ///
    /// Subscribes at once. Up to 1024 updates wait for the reader; then the oldest are dropped (``Updates/droppedCount``).
    public func aliasOutcomes() -> Updates<AliasOutcome> {
        Updates(self.services.aliasOutcomes, of: nil)
    }
}
