// SPDX-License-Identifier: Apache-2.0

#if SIGNET_CONFIGURATION
import Configuration
import Foundation
import Signet
import SignetInfobip
import SignetIterable
import SignetModel
import SignetTestSupport
import Testing

/// Settings in a file of JSON; the rest of the reader is in ``SignetConfigurationReaderTests``.
@Suite struct SignetConfigurationFileTests {
    /// A reader of a file that holds this text.
    private static func reader(of json: String, _ report: AccessReport? = nil) async throws -> ConfigReader {
        let folder = try TemporaryFolder()
        let path = folder.path + "/settings.json"
        try Data(json.utf8).write(to: URL(fileURLWithPath: path))
        // Where the file is comes from a reader, too: as a value of its own, it would be of a package that is not ours.
        let place = InMemoryProvider(values: ["filePath": ConfigValue(.string(path), isSecret: false)])
        let provider = try await FileProvider<JSONSnapshot>(config: ConfigReader(provider: place))
        return ConfigReader(provider: provider, accessReporter: report)
    }

    @Test func aFileHoldsTheSettingsInsideOfOneAnother() async throws {
        let report = AccessReport()
        let json = """
            {
                "port": 8080,
                "signet": {
                    "apiKey": "us1-key",
                    "secret": "hidden",
                    "directory": "/tmp/x",
                    "environment": "development",
                    "shutdownLimit": 2.5,
                    "application": { "name": "Shop", "version": "2.1" },
                    "identity": { "maximumInFlight": 3 },
                    "sessions": { "timeout": 1800, "beginsAtOpen": false },
                    "events": { "uploadInterval": 30, "storage": { "maximumBytes": 2097152, "whenFull": "dropOldest" } },
                    "iterable": { "apiKey": "project", "isEnabled": true, "eventThreshold": 50 }
                }
            }
            """
        let reader = try await Self.reader(of: json, report)
        let configuration = try ReadSettings(reader.scoped(to: "signet"))
        #expect(configuration.apiKey == "us1-key")
        #expect(configuration.secret == "hidden")
        #expect(configuration.directory == "/tmp/x")
        #expect(configuration.environment == .development)
        #expect(configuration.shutdownLimit == .milliseconds(2500))
        #expect(configuration.application?.name == "Shop")
        #expect(configuration.application?.version == "2.1")
        #expect(configuration.identity.maximumInFlight == 3)
        #expect(configuration.sessions.timeout == .seconds(1800))
        #expect(!configuration.sessions.beginsAtOpen)
        #expect(configuration.events.uploadInterval == .seconds(30))
        #expect(configuration.events.storage.maximumBytes == 2_097_152)
        #expect(configuration.events.storage.whenFull == .dropOldest)
        let iterable = try #require(configuration.iterable)
        #expect(iterable.apiKey == "project")
        #expect(iterable.isEnabled)
        #expect(iterable.eventThreshold == 50)
        #expect(configuration.infobip == nil)
        #expect(report.secrets.isSuperset(of: ["signet.apiKey", "signet.secret", "signet.iterable.apiKey"]))
        #expect(!report.secrets.contains("signet.directory"))
    }

    @Test func aValueOfAnotherTypeInAFileIsAnError() async throws {
        let json = """
            {
                "apiKey": "us1-key", "secret": "hidden", "directory": "/tmp/x",
                "sessions": { "timeout": "soon", "beginsAtOpen": "perhaps" }
            }
            """
        let reader = try await Self.reader(of: json)
        let error = #expect(throws: SignetError.self) { try SignetConfiguration(config: reader) }
        #expect(error?.code == .invalidConfiguration)
        let problems = "sessions.timeout is not a number of seconds; sessions.beginsAtOpen is neither true nor false."
        #expect(error?.message == problems)
    }
}
#endif
