// SPDX-License-Identifier: Apache-2.0

import SignetModel
public import SignetTransport

/// Tracks the user and session of each installation, and delivers all events.
///
/// One per process and workspace; it owns the directory.
/// ``open(_:identify:context:retry:deviceApplicationStamp:launchReferral:installType:)``, logging and reading take effect
/// immediately. ``run()`` performs the requests; call it once:
///
/// ```swift
/// try await withSignet(configuration, transport: transport) { signet in
///     let visitor = try await signet.open("cookie-17")
///     try await visitor.login([.customerID: "c-17"])
///     try visitor.log(.custom("level_completed", attributes: ["level": 4]))
/// }
/// ```
public final class SignetRuntime: Sendable {
    let context: RuntimeContext
    let managers: RuntimeManagers
    let registry: InstallationRegistry
    let opening: InstallationOpening
    let erasure: UserErasure
    let running: RuntimeRun

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
    public convenience init(
        _ configuration: SignetConfiguration,
        services: [any SignetService] = [],
        transport: any Transport,
        observer: (any SignetObserver)? = nil
    ) throws(SignetError) {
        try self.init(configuration, services, transport, observer) { LocalInstallationStore($0, writer: $1) }
    }

    /// Opens the directory with another kind of store for the machines of installations.
    init(
        _ configuration: SignetConfiguration,
        _ services: [any SignetService],
        _ transport: any Transport,
        _ observer: (any SignetObserver)?,
        makeStore: @escaping InstallationStoreFactory
    ) throws(SignetError) {
        let definitions = services.map(\.definition)
        var configuration = configuration
        try configuration.validate(with: definitions)
        let clock = configuration.fleet == nil ? nil : FleetClock()
        if let clock { configuration.time = configuration.time.corrected { clock.milliseconds(at: $0) } }
        let lines = observer == nil && configuration.reportsToStandardError ? configuration.standardError : nil
        let health = HealthMonitor(time: configuration.time, lines: lines, reportsEnd: configuration.reportsEnd)
        let observer = CombinedObserver(health, observer ?? SilentObserver())
        let statistics = StatisticsRecorder()
        let dispatcher = try NetworkDispatcher(configuration, transport, observer, statistics)
        let context = try RuntimeContext(
            configuration,
            disk: .recovered(configuration, services: definitions, observer: observer, statistics: statistics),
            dispatcher: dispatcher,
            clock: clock,
            health: health,
            observer: observer,
            statistics: statistics
        )
        let registry = InstallationRegistry(countsLaunches: context.fleet == nil)
        let users = UserLookup(registry, context)
        let shared = context.fleet.map { SharedUsers($0, context.numbers, carrying: configuration.events.userFacts) }
        let eventUsers: any EventUsers = if let shared { shared } else { users }
        let unflushed = UnflushedStores()
        var makeStore = makeStore
        if let fleet = context.fleet {
            makeStore = { SharedInstallationStore($0, writer: $1, fleet: fleet, unflushed: unflushed) }
        }
        let managers = try RuntimeManagers(context, eventUsers, registry, definitions, transport)
        self.context = context
        self.managers = managers
        self.registry = registry
        self.opening = InstallationOpening(
            context: context,
            managers: managers,
            registry: registry,
            makeStore: makeStore
        )
        if let fleet = context.fleet, !context.isReplica {
            try UnsharedSessions(opening: self.opening).endAll()
            try context.noteReplica(fleet.replica)
        }
        let stores = context.fleet.map {
            SharedStores(fleet: $0, context: context, managers: managers, registry: registry, unflushed: unflushed)
        }
        let erasure = UserErasure(context, managers, registry, stores)
        self.erasure = erasure
        let loop = stores.flatMap { stores in shared.map { FleetLoop(stores, $0, erasure) } }
        self.running = RuntimeRun(
            context,
            managers,
            registry,
            self.erasure,
            loop,
            self.opening
        )
    }

    /// Releases a runtime that was not shut down, after its last reference; the directory is free afterwards.
    deinit {
        self.running.abandon()
    }

    // MARK: - Sessions

    /// The current time without an event after which a session ends.
    public var sessionTimeout: Duration {
        self.context.sessionTimeout
    }

    /// Changes the time without an event after which a session ends, for open sessions too.
    ///
    /// It lasts until the end of this runtime.
    ///
    /// - Parameter timeout: At least 1 s, or 10 s with a shared store; there is no maximum.
    /// - Throws: `invalidArgument`.
    public func setSessionTimeout(_ timeout: Duration) throws(SignetError) {
        let least = self.context.fleet == nil ? 1 : 10
        guard timeout >= .seconds(least) else {
            throw SignetError(
                .invalidArgument,
                "A session timeout of \(timeout) is too short; at least \(least) s is allowed."
            )
        }
        self.context.timeout.value = timeout
        self.managers.sessions.review()
        self.context.dueWork.report { $0.isTimeoutChanged = true }
    }

    // MARK: - Delivery

    /// The current time that events wait for others.
    public var uploadInterval: Duration {
        self.context.ingress.interval
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
                "An upload interval of \(interval) is too short; at least 1 s is allowed. Call `upload()` to upload now."
            )
        }
        self.context.ingress.setInterval(interval)
    }

    // MARK: - Updates and numbers

    /// The counters since this runtime was made.
    public var statistics: SignetStatistics {
        self.context.currentStatistics
    }

    /// User changes of all installations, from this call on.
    ///
    /// Subscribes at once. Up to 1024 updates wait for the reader; then the oldest are dropped (``Updates/droppedCount``).
    public func userChanges() -> Updates<UserChange> {
        Updates(self.context.userChanges, of: nil)
    }

    /// Session changes of all installations, from this call on.
    ///
    /// Subscribes at once. Up to 1024 updates wait for the reader; then the oldest are dropped (``Updates/droppedCount``).
    public func sessionChanges() -> Updates<SessionChange> {
        Updates(self.context.sessionChanges, of: nil)
    }

    /// Outcomes of alias requests of all installations, from this call on.
    ///
    /// Subscribes at once. Up to 1024 updates wait for the reader; then the oldest are dropped (``Updates/droppedCount``).
    public func aliasOutcomes() -> Updates<AliasOutcome> {
        Updates(self.context.aliasOutcomes, of: nil)
    }
}
