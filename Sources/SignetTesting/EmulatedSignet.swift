// SPDX-License-Identifier: Apache-2.0

public import Signet
public import SignetEmulator

/// A runtime on an emulated platform in this process, with clocks that you move.
public struct EmulatedSignet: Sendable {
    /// The clock of the runtime and the emulator: nothing waits for real time.
    public let clock: ManualClock
    /// The emulated platform.
    public let emulator: Emulator
    /// The recorded requests and answers.
    public let transport: RecordingTransport
    /// The runtime; it runs inside ``withEmulatedSignet(emulator:clock:services:observer:configure:isolation:_:)``.
    public let runtime: SignetRuntime

    /// Makes a runtime with an emulator of its own; call ``run(isolation:_:)`` to run it.
    ///
    /// - Parameters:
    ///   - directory: An existing or new folder; pass the same one again to test a restart.
    ///   - emulator: The rules of the platform.
    ///   - clock: The clock of the runtime, the emulator, and a ``MemorySharedStore`` without a clock of its own.
    ///   - services: The services of the runtime.
    ///   - observer: Observes the runtime.
    ///   - configure: Changes the configuration, which has a server's defaults.
    /// - Throws: The errors of `SignetRuntime.init`.
    public init(
        in directory: String,
        emulator: EmulatorConfiguration = EmulatorConfiguration(),
        clock: ManualClock = ManualClock(),
        services: [any SignetService] = [],
        observer: (any SignetObserver)? = nil,
        configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws(SignetError) {
        let platform = Emulator(emulator, clock: clock, wallClock: { clock.date })
        try self.init(
            in: directory,
            platform: platform,
            clock: clock,
            services: services,
            observer: observer,
            configure: configure
        )
    }

    /// Makes a runtime on an existing emulator, to test restarts; call ``run(isolation:_:)`` to run it.
    ///
    /// - Parameters:
    ///   - directory: An existing or new folder.
    ///   - platform: The emulator; should have the same clock.
    ///   - clock: The clock of the runtime.
    ///   - services: The services of the runtime.
    ///   - observer: Observes the runtime.
    ///   - configure: Changes the configuration, which has a server's defaults.
    /// - Throws: The errors of `SignetRuntime.init`.
    public init(
        in directory: String,
        platform: Emulator,
        clock: ManualClock,
        services: [any SignetService] = [],
        observer: (any SignetObserver)? = nil,
        configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws(SignetError) {
        var configuration = SignetConfiguration(
            apiKey: platform.configuration.apiKey,
            secret: platform.configuration.secret,
            directory: directory
        )
        configuration.time = TimeSource(clock: clock, milliseconds: { clock.milliseconds })
        configuration.jitter = { 0 }
        // A test with a task executor decides the order of all steps.
        if withUnsafeCurrentTask(body: { $0?.unownedTaskExecutor != nil }) { configuration.diskWork = .callingTask }
        // Tests cause trouble on purpose.
        configuration.reportsToStandardError = false
        configure(&configuration)
        // A database whose time stands still would drop the events of later opt-ins and sessions.
        (configuration.fleet?.store as? MemorySharedStore)?.engine.follow(clock)
        let transport = RecordingTransport(platform)
        let runtime = try SignetRuntime(
            configuration,
            services: services,
            transport: transport,
            observer: observer
        )
        self.init(platform, clock, transport, runtime)
    }

    /// Puts the parts together.
    package init(
        _ platform: Emulator,
        _ clock: ManualClock,
        _ transport: RecordingTransport,
        _ runtime: SignetRuntime
    ) {
        (self.emulator, self.clock, self.transport, self.runtime) = (platform, clock, transport, runtime)
    }

    /// Runs the runtime for the duration of a body, and shuts it down in order.
    ///
    /// - Parameters:
    ///   - isolation: The isolation of the body; the caller's by default.
    ///   - body: Works with the runtime.
    /// - Returns: The result of the body.
    /// - Throws: The errors of the body.
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (EmulatedSignet) async throws -> Result
    ) async throws -> Result {
        try await self.runtime.runs(isolation: isolation) { try await body(self) }
    }
}
