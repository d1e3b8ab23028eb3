// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// The defaults, as the table in Settings.md has them.
@Suite struct DefaultSettingsTests {
    /// One row: a setting with its values.
    struct Row: Sendable, CustomTestStringConvertible {
        let setting: String
        let server: String
        let application: String
        let read: @Sendable (SignetConfiguration) -> String

        init(
            _ setting: String,
            _ server: String,
            _ application: String? = nil,
            _ read: @escaping @Sendable (SignetConfiguration) -> String
        ) {
            (self.setting, self.server, self.application) = (setting, server, application ?? server)
            self.read = read
        }

        var testDescription: String { self.setting }
    }

    static let rows: [Row] = [
        Row("sessions.mode", "server", "application") { "\($0.sessions.mode)" },
        Row("sessions.timeout", "1800.0 seconds", "60.0 seconds") { "\($0.sessions.timeout)" },
        Row("sessions.tracking", "automatic") { "\($0.sessions.tracking)" },
        Row("sessions.beginsAtOpen", "false", "true") { "\($0.sessions.beginsAtOpen)" },
        Row("sessions.reportsApplicationState", "false", "true") {
            "\(SessionRules($0.sessions).reportsApplicationState)"
        },
        Row("identity.atOpen", "ifUnknown", "oncePerProcess") { "\($0.identity.atOpen)" },
        Row("identity.requestTimeout", "10.0 seconds") { "\($0.identity.requestTimeout)" },
        Row("identity.maximumInFlight", "64") { "\($0.identity.maximumInFlight)" },
        Row("events.uploadInterval", "10.0 seconds", "600.0 seconds") { "\($0.effectiveUploadInterval)" },
        Row("events.uploadInterval, development", "10.0 seconds") {
            var configuration = $0
            configuration.environment = .development
            return "\(configuration.effectiveUploadInterval)"
        },
        Row("events.pauseWithoutRetryAfter", "none", "7200.0 seconds") {
            $0.events.pauseWithoutRetryAfter.map { "\($0)" } ?? "none"
        },
        Row("events.priorityUploadDelay", "1.0 seconds") { "\($0.events.priorityUploadDelay)" },
        Row("events.maximumInFlight", "4") { "\($0.events.maximumInFlight)" },
        Row("events.maximumBatchesPerSecond", "270.0") { $0.events.maximumBatchesPerSecond.map { "\($0)" } ?? "none" },
        Row("events.storage.maximumBytes", "1073741824", "none") {
            $0.events.storage.maximumBytes.map { "\($0)" } ?? "none"
        },
        Row("events.storage.whenFull", "refuse") { "\($0.events.storage.whenFull)" },
        Row("events.storage.maximumAge", "\(Duration.seconds(90 * 86_400))") { "\($0.events.storage.maximumAge)" },
        Row("installations.retention", "\(Duration.seconds(400 * 86_400))", "none") {
            $0.installations.retention.map { "\($0)" } ?? "none"
        },
        Row("shutdownLimit", "30.0 seconds") { "\($0.shutdownLimit)" },
    ]

    @Test(arguments: Self.rows) func aSettingHasItsDefaults(row: Row) {
        let server = SignetConfiguration(apiKey: "k", secret: "s", directory: "d")
        let application = SignetConfiguration.application(apiKey: "k", secret: "s", directory: "d")
        #expect(row.read(server) == row.server)
        #expect(row.read(application) == row.application)
        var changed = server
        changed.useApplicationDefaults()
        #expect(row.read(changed) == row.application)
    }

    @Test func bothStartARuntime() async throws {
        let folder = try TemporaryFolder()
        for make in [SignetConfiguration.init(apiKey:secret:directory:), SignetConfiguration.application] {
            let configuration = make("us1-emulated", "emulated-secret", folder.path)
            await (try SignetRuntime(configuration, transport: Emulator().transport)).shutdown()
        }
    }

    @Test func aServerIdentifiesUnknownVisitorsAloneAndReportsNoLaunch() async throws {
        let folder = try TemporaryFolder()
        try await SignetTesting.withEmulatedSignet(in: folder.path) { signet in
            let visitor = try await signet.runtime.open("v")
            _ = try await visitor.initialIdentifyResult()
            try visitor.log(.custom("came"))
            visitor.endLaunch()
            _ = try await signet.runtime.open("v")
            _ = try await signet.runtime.open("w", identify: .none)
            try await signet.runtime.upload()
            #expect(signet.emulator.requestCounts()["identify"] == 1)
            let types = signet.emulator.users().flatMap { signet.emulator.events(of: $0.mpid) }.map(\.type)
            #expect(!types.isEmpty && !types.contains("application_state_transition"))
        }
    }
}
