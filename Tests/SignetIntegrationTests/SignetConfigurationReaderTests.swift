// SPDX-License-Identifier: Apache-2.0

#if SIGNET_CONFIGURATION
import Configuration
import Signet
import SignetInfobip
import SignetIterable
import SignetModel
import Testing

@Suite struct SignetConfigurationReaderTests {
    private static let wanted: [AbsoluteConfigKey: ConfigValue] = [
        "apiKey": "us1-key", "secret": ConfigValue("hidden", isSecret: true), "directory": "/tmp/x",
    ]

    private static func configuration(_ more: [AbsoluteConfigKey: ConfigValue] = [:]) throws -> ReadSettings {
        let values = Self.wanted.merging(more) { $1 }
        return try ReadSettings(ConfigReader(provider: InMemoryProvider(values: values)))
    }

    /// The names in the environment of the settings that are tried out.
    private static let variables = [
        "sessions.timeout": "SESSIONS_TIMEOUT", "environment": "ENVIRONMENT", "baseURL": "BASE_URL",
        "sessions.beginsAtOpen": "SESSIONS_BEGINS_AT_OPEN", "identity.maximumInFlight": "IDENTITY_MAXIMUM_IN_FLIGHT",
    ]

    private static func problem(of more: [AbsoluteConfigKey: ConfigValue]) throws -> String {
        let error = #expect(throws: SignetError.self) { try Self.configuration(more) }
        #expect(error?.code == .invalidConfiguration)
        return error?.message ?? ""
    }

    @Test func theThreeThatAreWantedAreEnough() throws {
        let configuration = try Self.configuration()
        #expect(configuration.apiKey == "us1-key")
        #expect(configuration.secret == "hidden")
        #expect(configuration.directory == "/tmp/x")
        #expect(configuration.environment == .production)
        #expect(configuration.sessions.timeout == .seconds(1800))
        #expect(configuration.sessions.mode == .server)
        #expect(configuration.events.uploadInterval == .seconds(10))
        #expect(configuration.events.storage.maximumBytes == 1 << 30)
        #expect(configuration.identity.atOpen == .ifUnknown)
        #expect(configuration.iterable == nil)
    }

    @Test func theDefaultsOfAnApplicationAreChosenByAWord() throws {
        let configuration = try Self.configuration(["defaults": "application", "sessions.timeout": 90])
        #expect(configuration.sessions.mode == .application)
        #expect(configuration.sessions.timeout == .seconds(90))
        #expect(configuration.events.uploadInterval == nil)
        #expect(configuration.events.storage.maximumBytes == nil)
        #expect(configuration.identity.atOpen == .oncePerProcess)
        #expect(try Self.configuration(["defaults": "server"]).identity.atOpen == .ifUnknown)
        #expect(try Self.problem(of: ["defaults": "phone"]) == "defaults is not one of application, server.")
    }

    @Test func aRetentionOfZeroKeepsAllInstallations() throws {
        let configuration = try Self.configuration(["installations.retention": 0])
        #expect(configuration.installations.retention == nil)
    }

    @Test func everySettingIsTaken() throws {
        let configuration = try Self.configuration([
            "environment": "development", "authentication": "basic", "baseURL": "http://127.0.0.1:8080",
            "shutdownLimit": 5, "application.name": "Shop", "application.version": "2.1", "application.build": "77",
            "identity.requestTimeout": 2.5, "identity.maximumInFlight": 3, "identity.atOpen": "none",
            "identity.automaticPerSecond": 7.5,
            "sessions.mode": "application",
            "sessions.tracking": "manual", "sessions.timeout": 1800, "sessions.beginsAtOpen": false,
            "events.uploadMode": "bulk", "events.uploadInterval": 30, "events.priorityUploadDelay": 0.5,
            "events.requestTimeout": 9,
            "events.maximumInFlight": 2,
            "events.storage.maximumBytes": 2_097_152, "events.storage.whenFull": "dropOldest",
            "iterable.apiKey": "project", "iterable.isEnabled": true, "iterable.region": "europe",
            "iterable.addressing": "userID",
            "iterable.baseURL": "https://visitors.example", "iterable.eventThreshold": 50,
            "iterable.forwardsEvents": true, "iterable.followsLogin": false,
            "infobip.applicationCode": "code", "infobip.baseURL": "https://profiles.example",
            "infobip.followsLogin": true, "infobip.persistsUserData": false,
            "infobip.isPushRegistrationEnabled": false, "clientPlatform": "smart_tv",
            "endpoints.customDomain": "https://data.example", "endpoints.events": "https://events.example/v",
            "events.maximumBatchBytes": 65_536, "events.maximumRequestBytes": 131_072,
            "events.storage.maximumAge": 7200,
            "events.dataPlan.id": "shop", "events.dataPlan.version": 3, "installations.retention": 864_000,
        ])
        #expect(configuration.installations.retention == .seconds(864_000))
        #expect(configuration.clientPlatform == .smartTV)
        #expect(configuration.endpoints.identity?.text == "https://data.example/identity")
        #expect(configuration.endpoints.alias?.text == "https://data.example/nativeevents")
        #expect(configuration.endpoints.events?.text == "https://events.example/v")
        #expect(configuration.events.maximumBatchBytes == 65_536)
        #expect(configuration.events.maximumRequestBytes == 131_072)
        #expect(configuration.events.storage.maximumAge == .seconds(7200))
        #expect(configuration.events.dataPlan == DataPlan(id: "shop", version: 3))
        #expect(configuration.environment == .development)
        #expect(configuration.authentication == .basic)
        #expect(configuration.baseURL?.text == "http://127.0.0.1:8080")
        #expect(configuration.shutdownLimit == .seconds(5))
        #expect(configuration.application?.name == "Shop")
        #expect(configuration.application?.version == "2.1")
        #expect(configuration.application?.build == "77")
        #expect(configuration.identity.requestTimeout == .milliseconds(2500))
        #expect(configuration.identity.maximumInFlight == 3)
        #expect(configuration.identity.automaticPerSecond == 7.5)
        #expect(configuration.identity.atOpen == SignetConfiguration.Identity.AtOpen.none)
        #expect(configuration.sessions.mode == .application)
        #expect(configuration.sessions.tracking == .manual)
        #expect(configuration.sessions.timeout == .seconds(1800))
        #expect(!configuration.sessions.beginsAtOpen)
        #expect(configuration.events.uploadMode == .bulk)
        #expect(configuration.events.uploadInterval == .seconds(30))
        #expect(configuration.events.priorityUploadDelay == .milliseconds(500))
        #expect(configuration.events.requestTimeout == .seconds(9))
        #expect(configuration.events.maximumInFlight == 2)
        #expect(configuration.events.storage.maximumBytes == 2_097_152)
        #expect(configuration.events.storage.whenFull == .dropOldest)
        let iterable = try #require(configuration.iterable)
        #expect(iterable.apiKey == "project")
        #expect(iterable.isEnabled && iterable.forwardsEvents && !iterable.followsLogin)
        #expect(iterable.region == .europe)
        #expect(iterable.addressing == .userID)
        #expect(iterable.baseURL?.text == "https://visitors.example")
        #expect(iterable.eventThreshold == 50)
        let infobip = try #require(configuration.infobip)
        #expect(infobip.applicationCode == "code")
        #expect(infobip.baseURL?.text == "https://profiles.example")
        #expect(infobip.followsLogin && !infobip.persistsUserData && !infobip.isPushRegistrationEnabled)
    }

    @Test(arguments: [
        ("iterable.isEnabled", true, "iterable.apiKey is missing"),
        ("infobip.followsLogin", false, "infobip.applicationCode is missing"),
    ])
    func aPartWithoutItsKeyIsNotLeftOutInSilence(setting: String, value: Bool, problem: String) throws {
        let key = AbsoluteConfigKey(setting.split(separator: ".").map(String.init))
        #expect(try Self.problem(of: [key: ConfigValue(booleanLiteral: value)]) == problem + ".")
    }

    @Test func aVersionWithoutItsDataPlanIsNotLeftOutInSilence() throws {
        #expect(try Self.problem(of: ["events.dataPlan.version": 3]) == "events.dataPlan.id is missing.")
    }

    @Test func keysAndSecretsAreReadAsSecrets() throws {
        let report = AccessReport()
        let values: [AbsoluteConfigKey: ConfigValue] = Self.wanted.merging([
            "iterable.apiKey": "project", "infobip.applicationCode": "code",
        ]) { $1 }
        let reader = ConfigReader(provider: InMemoryProvider(values: values), accessReporter: report)
        _ = try ReadSettings(reader)
        #expect(report.secrets.isSuperset(of: ["apiKey", "secret", "iterable.apiKey", "infobip.applicationCode"]))
        #expect(!report.secrets.contains("directory"))
    }

    @Test func theEnvironmentHasItsOwnSpelling() throws {
        let provider = EnvironmentVariablesProvider(environmentVariables: [
            "SIGNET_API_KEY": "us1-key", "SIGNET_SECRET": "hidden", "SIGNET_DIRECTORY": "/tmp/x",
            "SIGNET_EVENTS_UPLOAD_INTERVAL": "12.5", "SIGNET_ITERABLE_API_KEY": "project",
            "SIGNET_SESSIONS_BEGINS_AT_OPEN": "false",
        ])
        let config = ConfigReader(provider: provider)
        let configuration = try ReadSettings(config.scoped(to: "signet"))
        #expect(configuration.events.uploadInterval == .milliseconds(12_500))
        #expect(!configuration.sessions.beginsAtOpen)
        #expect(configuration.iterable?.apiKey == "project")
    }

    @Test func allThatIsMissingIsToldAtOnce() {
        let config = ConfigReader(provider: InMemoryProvider(values: [:]))
        let error = #expect(throws: SignetError.self) { try SignetConfiguration(config: config) }
        #expect(error?.message == "apiKey is missing; directory is missing; secret is missing.")
    }

    @Test func withTheKeyAloneASecretIsWantedForEvents() throws {
        var values: [AbsoluteConfigKey: ConfigValue] = [
            "apiKey": "us1-key", "directory": "/tmp/x", "authentication": "keyOnly",
        ]
        let without = ConfigReader(provider: InMemoryProvider(values: values))
        let error = #expect(throws: SignetError.self) { try SignetConfiguration(config: without) }
        #expect(error?.message == "secret is missing.")
        values["secret"] = "hidden"
        let config = ConfigReader(provider: InMemoryProvider(values: values))
        #expect(try SignetConfiguration(config: config).authentication == .keyOnly)
    }

    @Test(arguments: [
        ("sessions.timeout", "soon", "is not a number of seconds"),
        ("sessions.timeout", "nan", "is not a number of seconds"),
        ("sessions.timeout", "1e300", "is not a number of seconds"), ("environment", "live", "is not one of"),
        ("baseURL", "http://example.com", "cannot be used"), ("sessions.beginsAtOpen", "perhaps", "is neither"),
        ("identity.maximumInFlight", "3.5", "is not a whole number"),
    ])
    func whatCannotBeReadIsAnErrorAndNotTheDefault(key: String, value: String, problem: String) throws {
        let provider = EnvironmentVariablesProvider(environmentVariables: [
            "SIGNET_API_KEY": "us1-key", "SIGNET_SECRET": "hidden", "SIGNET_DIRECTORY": "/tmp/x",
            "SIGNET_" + Self.variables[key, default: key]: value,
        ])
        let config = ConfigReader(provider: provider).scoped(to: "signet")
        let error = #expect(throws: SignetError.self) { try SignetConfiguration(config: config) }
        let message = try #require(error?.message)
        #expect(message.hasPrefix("\(key) \(problem)"), "\(message)")
    }

    @Test func aValueOfAnotherTypeIsAnErrorToo() throws {
        #expect(try Self.problem(of: ["sessions.timeout": true]).contains("sessions.timeout"))
        #expect(try Self.problem(of: ["environment": 7]).contains("environment"))
        #expect(try Self.problem(of: ["sessions.beginsAtOpen": 1.5]).contains("sessions.beginsAtOpen"))
    }

    @Test func noValueIsInAMessage() throws {
        let message = try Self.problem(of: ["environment": "hunter2", "secret": ConfigValue(7, isSecret: true)])
        #expect(!message.contains("hunter2"))
        #expect(message.contains("secret"))
    }
}
#endif
