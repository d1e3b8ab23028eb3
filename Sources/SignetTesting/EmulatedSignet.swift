//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import Signet
public import SignetEmulator

/// A runtime whose platform is an emulator in this process and whose clocks you move.
public struct EmulatedSignet: Sendable {
    /// The clock of both: nothing waits for real time.
    public let clock: ManualClock
    /// The platform.
    public let emulator: Emulator
    /// What went over the wire.
    public let transport: RecordingTransport
    /// The runtime; it is run for you inside ``withEmulatedSignet(in:emulator:clock:observer:configure:isolation:_:)``.
    public let runtime: SignetRuntime

    /// Makes a runtime that nobody runs yet, with an emulator of its own.
    ///
    /// - Parameters:
    ///   - directory: An existing or new folder; give the same one again to see a restart.
    ///   - emulator: The rules of the platform.
    ///   - clock: The clock of both.
    ///   - observer: Is told what goes on inside.
    ///   - configure: Changes the configuration.
    /// - Throws: What `SignetRuntime.init` throws.
    public init(
        in directory: String,
        emulator: EmulatorConfiguration = EmulatorConfiguration(),
        clock: ManualClock = ManualClock(),
        observer: (any SignetObserver)? = nil,
        configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws(SignetError) {
        let platform = Emulator(emulator, clock: clock, wallClock: { clock.date })
        try self.init(in: directory, platform: platform, clock: clock, observer: observer, configure: configure)
    }

    /// Makes a runtime that nobody runs yet, on an emulator that exists: for restarts.
    ///
    /// - Parameters:
    ///   - directory: An existing or new folder.
    ///   - platform: The emulator; should have the same clock.
    ///   - clock: The clock of the runtime.
    ///   - observer: Is told what goes on inside.
    ///   - configure: Changes the configuration.
    /// - Throws: What `SignetRuntime.init` throws.
    public init(
        in directory: String,
        platform: Emulator,
        clock: ManualClock,
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
        configure(&configuration)
        self.clock = clock
        self.emulator = platform
        self.transport = RecordingTransport(platform)
        self.runtime = try SignetRuntime(configuration, transport: self.transport, observer: observer)
    }

    /// Runs the runtime while a body works with it, and shuts it down in order.
    ///
    /// - Parameters:
    ///   - isolation: Where the body runs; the caller's by default.
    ///   - body: Works with the runtime.
    /// - Returns: What the body returned.
    /// - Throws: What the body threw.
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (EmulatedSignet) async throws -> Result
    ) async throws -> Result {
        try await self.runtime.runs(isolation: isolation) { try await body(self) }
    }
}
