// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetInfobip

/// An application of Infobip, apps that can be started again and again, and a clock that all share.
struct InfobipWorld {
    let folder: TemporaryFolder
    let clock = ManualClock()
    let emulator: Emulator

    init(_ applications: [EmulatedInfobipApplication] = [EmulatedInfobipApplication()]) throws {
        self.folder = try TemporaryFolder()
        let clock = self.clock
        var configuration = EmulatorConfiguration()
        configuration.applications = applications
        self.emulator = Emulator(configuration, clock: clock, wallClock: { clock.date })
    }

    var infobip: EmulatedInfobip { self.emulator.infobip }

    /// The requests that arrived, but those for the address.
    var requests: [EmulatedInfobipRequest] {
        self.infobip.requests().filter { $0.route != .baseURL }
    }

    /// Their routes.
    var routes: [EmulatorRoute] { self.requests.map(\.route) }

    /// The body of the last request on a route.
    func lastBody(on route: EmulatorRoute) -> String? {
        self.infobip.requests(on: route).last?.bodyJSON
    }

    /// One life of the process.
    func live(
        in path: String? = nil,
        observer: (any SignetObserver)? = nil,
        configure: (inout ServiceSettings) -> Void = { _ in },
        _ body: (EmulatedSignet, Installation) async throws -> Void
    ) async throws {
        try await self.start(in: path, observer: observer, configure: configure).run { signet in
            try await body(signet, try await signet.runtime.open("p", identify: .none))
        }
    }

    /// One life of the process, with an installation that is registered.
    func liveRegistered(
        configure: (inout ServiceSettings) -> Void = { _ in },
        _ body: (InfobipProfile, String) async throws -> Void
    ) async throws {
        try await self.live(configure: configure) { _, installation in
            try await body(installation.infobip, try await installation.infobip.register())
        }
    }

    /// A runtime that nobody runs yet.
    func start(
        in path: String? = nil,
        observer: (any SignetObserver)? = nil,
        configure: (inout ServiceSettings) -> Void = { _ in }
    ) throws -> EmulatedSignet {
        try EmulatedSignet(
            in: path ?? self.folder.path,
            platform: self.emulator,
            clock: self.clock,
            observer: observer,
            settings: { configuration in
                var profiles = InfobipConfiguration(applicationCode: "emulated-application")
                profiles.system.os = "Linux"
                profiles.system.deviceModel = "X"
                profiles.bundleID = "com.example.shop"
                profiles.followsLogin = false
                configuration.infobip = profiles
                configure(&configuration)
            }
        )
    }

    /// Waits until everything is told, letting pauses pass.
    func settle(_ installation: Installation, orUntil isDead: () -> Bool = { false }) async throws {
        for _ in 0..<200 {
            try await installation.infobip.waitUntilIdle()
            if isDead() { return }
            let manager = try installation.infobip.manager()
            let machine = await manager.machine
            let time = manager.adapter.context.time
            let (uptime, milliseconds) = (time.uptime, time.milliseconds)
            guard machine.hasWork(now: uptime, milliseconds: milliseconds) else { return }
            let dates = [machine.backOff.pausedUntil, machine.eventsDue].compactMap(\.self).filter { $0 > uptime }
            if let next = dates.min() { self.clock.advance(by: next - uptime) }
        }
        Issue.record("never settled")
    }
}

extension InfobipProfile {
    /// Makes the installation known to the service.
    @discardableResult
    func register(_ token: Secret = "AA01") async throws -> String {
        try await self.setPushToken(PushToken(token, service: .apns))
        return try await self.registration()
    }

    /// Changes the person.
    @discardableResult
    func save(_ change: (inout InfobipUserChanges) -> Void) async throws -> InfobipSaveResult {
        var changes = InfobipUserChanges()
        change(&changes)
        return try await self.saveUser(changes)
    }

    /// Changes the installation.
    @discardableResult
    func saveOwn(_ change: (inout InfobipInstallationChanges) -> Void) async throws -> InfobipSaveResult {
        var changes = InfobipInstallationChanges()
        change(&changes)
        return try await self.saveInstallation(changes)
    }
}
