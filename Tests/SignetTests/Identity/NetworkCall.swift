// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

extension RecordingTransport {
    /// What was sent but events, oldest first.
    var identityEndpoints: [String] {
        self.exchanges.map(\.endpoint).filter { $0 != "events" }
    }
}

/// The identity calls of an installation that need the platform, in one list.
enum NetworkCall: String, CaseIterable, Sendable {
    case identified, identify, login, logout, modify, search

    /// What opening must ask for, so that the call has something to wait for.
    var start: IdentifyPolicy {
        self == .identified ? .oncePerProcess : .none
    }

    /// Makes the call.
    ///
    /// - Returns: Why it failed; nil when it did not.
    func code(on installation: Installation, whenBusy: ConflictPolicy = .refuse) async -> SignetError.Code? {
        await self.failure(on: installation, whenBusy: whenBusy)?.code
    }

    /// Makes the call.
    ///
    /// - Returns: With what it failed; nil when it did not.
    func failure(on installation: Installation, whenBusy: ConflictPolicy = .refuse) async -> SignetError? {
        await SignetRuntimeTestSupport.failure { () async throws(SignetError) in
            switch self {
            case .identified: _ = try await installation.initialIdentifyResult()
            case .identify: _ = try await installation.identify(whenBusy: whenBusy)
            case .login: _ = try await installation.login([.customerID: "c-2"], whenBusy: whenBusy)
            case .logout: _ = try await installation.logout(whenBusy: whenBusy)
            case .modify: _ = try await installation.modify([.other: "o"], whenBusy: whenBusy)
            case .search: _ = try await installation.search([.customerID: "c-1"], whenBusy: whenBusy)
            }
        }
    }
}

/// A folder in which an installation "one" has the known user c-1 since an earlier life.
struct KnownInstallation {
    let folder: TemporaryFolder
    let clock: ManualClock
    let platform: Emulator
    private let sessionTimeout: Duration?

    // A timeout of nil is the default one.
    init(emulator: EmulatorConfiguration = EmulatorConfiguration(), sessionTimeout: Duration? = nil) async throws {
        let clock = ManualClock()
        self.folder = try TemporaryFolder()
        self.clock = clock
        self.sessionTimeout = sessionTimeout
        self.platform = Emulator(emulator, clock: clock, wallClock: { clock.date })
        try await self.next().run { signet in
            _ = try await signet.runtime.open("one", identify: .none).login([.customerID: "c-1"])
        }
    }

    /// The next life.
    func next(
        services: [any SignetService] = [],
        observer: (any SignetObserver)? = nil,
        configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws -> EmulatedSignet {
        try EmulatedSignet(
            in: self.folder.path,
            platform: self.platform,
            clock: self.clock,
            services: services,
            observer: observer
        ) { configuration in
            // The uploads of sessions set no alarm among those that tests wait for.
            configuration.events.priorityUploadDelay = .seconds(600)
            if let sessionTimeout { configuration.sessions.timeout = sessionTimeout }
            configure(&configuration)
        }
    }
}
