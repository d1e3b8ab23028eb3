// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetTesting

/// An app from its install to its upgrade, with a kill between: what the platform is told of its states and its sessions.
struct AppAct {
    /// What the platform was told, in order.
    struct Told: Sendable, Hashable {
        let events: [String]

        /// What a reader of the documentation expects.
        var isAsPromised: Bool {
            self.events == [
                "session_start",
                "first_run",
                "initialized: is_first_run, successfully_closed",
                "background",
                "foreground",
                "session_end: 50 s, 30 s of them in the foreground, 4 events, level 3",
                "session_start: after one of 50 s",
                "initialized: is_upgrade",
                "exit",
            ]
        }
    }

    private let clock = ManualClock()
    private let executor = SettlingExecutor()

    func run(in folder: String) async throws -> Told {
        try await withTaskExecutorPreference(self.executor) {
            let clock = self.clock
            let platform = Emulator(clock: clock, wallClock: { clock.date })
            try await self.live("1.0", in: folder, platform) { runtime, app in
                try await app.setSessionAttribute(3, for: "level")
                clock.advance(by: .seconds(30))
                try app.enterBackground()
                clock.advance(by: .seconds(20))
                try app.enterForeground()
                runtime.evict(app.id)
            }
            clock.advance(by: .seconds(3600))
            try await self.live("1.1", in: folder, platform) { _, app in app.endLaunch() }
            return Told(events: platform.users().flatMap { platform.events(of: $0.mpid) }.map(Self.line))
        }
    }

    /// One process, in which the app has this version.
    private func live(
        _ version: String,
        in folder: String,
        _ platform: Emulator,
        _ body: (SignetRuntime, Installation) async throws -> Void
    ) async throws {
        let signet = try EmulatedSignet(in: folder, platform: platform, clock: self.clock) { configuration in
            configuration.useApplicationDefaults()
            configuration.application = ApplicationInformation(name: "Shop", version: version)
        }
        try await signet.run { signet in
            let app = try await signet.runtime.open("app")
            _ = try await app.initialIdentifyResult()
            try await body(signet.runtime, app)
        }
    }

    private static func line(_ event: EmulatedEvent) -> String {
        var (name, details) = (event.type, [String]())
        let attributes = event.customAttributes
        func seconds(_ name: String) -> String? {
            attributes[name].flatMap { Int($0) }.map { "\($0 / 1000) s" }
        }
        switch event.type {
        case "application_state_transition":
            let prefix = "application_"
            name = event.data["application_transition_type"]?.string?.replacing(prefix, with: "") ?? name
            details = ["is_first_run", "is_upgrade", "successfully_closed"].filter { event.data[$0]?.bool == true }
        case "session_start":
            details = seconds("$PreviousSessionLengthMs").map { ["after one of \($0)"] } ?? []
        case "session_end":
            let length = (event.data["session_duration_ms"]?.number?.int64).map { "\($0 / 1000) s" }
            let foreground = seconds("$ForegroundTimeMs").map { "\($0) of them in the foreground" }
            let own = attributes.filter { !$0.key.hasPrefix("$") }.map { "\($0.key) \($0.value)" }
            details = [length, foreground, attributes["$EventCount"].map { "\($0) events" }].compactMap(\.self) + own
        default: break
        }
        return details.isEmpty ? name : "\(name): \(details.joined(separator: ", "))"
    }
}

extension AppAct.Told: CustomStringConvertible {
    var description: String {
        var table = Table("An app is installed, killed in the foreground and upgraded")
        for event in self.events { table.add(event) }
        return table.description
    }
}
