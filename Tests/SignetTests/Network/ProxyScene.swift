// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport

@testable import Signet

/// A folder, a clock and a platform, for runtimes whose requests pass something in between.
struct ProxyScene {
    let folder: TemporaryFolder
    let clock = ManualClock()
    let platform: Emulator
    let observer = RecordingObserver()

    init() throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(EmulatorConfiguration(strategy: .link), clock: clock, wallClock: { clock.date })
    }

    /// Makes a runtime whose sessions last, and whose pauses do not vary.
    func runtime(
        _ transport: any Transport,
        configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws -> SignetRuntime {
        var configuration = SignetConfiguration(
            apiKey: self.platform.configuration.apiKey,
            secret: self.platform.configuration.secret,
            directory: self.folder.path
        )
        let clock = self.clock
        configuration.time = TimeSource(clock: clock, milliseconds: { clock.milliseconds })
        configure(&configuration)
        configuration.sessions.timeout = .seconds(1_000_000)
        // The clock moves by hours; a request that is on its way then must not time out.
        configuration.events.requestTimeout = .seconds(1_000_000)
        configuration.identity.requestTimeout = .seconds(1_000_000)
        configuration.jitter = { 0 }
        return try SignetRuntime(configuration, transport: transport, observer: self.observer)
    }

    /// Opens an installation whose user is known.
    func open(_ runtime: SignetRuntime, _ name: InstallationID) async throws -> Installation {
        let installation = try await runtime.open(name)
        _ = try await installation.initialIdentifyResult()
        return installation
    }
}
