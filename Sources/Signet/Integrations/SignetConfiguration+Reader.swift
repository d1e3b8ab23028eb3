// SPDX-License-Identifier: Apache-2.0

#if SIGNET_CONFIGURATION
public import Configuration
import SignetModel
import SignetTransport

extension SignetConfiguration {
    /// Reads a configuration from the reader's providers, such as the environment or files.
    ///
    /// Required: `apiKey`, `secret` (both read as secrets) and `directory`. A setting that is not there has the default of
    /// a server, or with `defaults` = `application` that of an app on a device; <doc:Settings> lists both.
    /// Optional, with times in seconds:
    ///
    /// - `defaults` (`server`, `application`)
    /// - `environment` (`production`, `development`), `authentication` (`signature`, `basic`, `keyOnly`), `baseURL`,
    ///   `clientPlatform` (a word of `client_sdk.platform`), `shutdownLimit`
    /// - `endpoints.identity`, `.alias`, `.events`, `.customDomain`
    /// - `application.name`, `.version`, `.build`
    /// - `identity.requestTimeout`, `.maximumInFlight`, `.automaticPerSecond`, `.atOpen` (`ifUnknown`, `oncePerProcess`, `none`)
    /// - `sessions.mode` (`server`, `application`), `.tracking` (`automatic`, `manual`), `.timeout`, `.beginsAtOpen`
    /// - `events.uploadMode` (`single`, `bulk`), `.userFacts` (`changes`, `all`), `.uploadInterval`,
    ///   `.priorityUploadDelay`, `.requestTimeout`, `.pauseWithoutRetryAfter`, `.maximumInFlight`,
    ///   `.maximumBatchBytes`, `.maximumRequestBytes`, `.dataPlan.id`, `.dataPlan.version`
    /// - `events.storage.maximumAge`, `.maximumBytes`, `.whenFull` (`refuse`, `dropOldest`)
    /// - `installations.retention`, 0 to keep all
    ///
    /// With the provider of environment variables and the scope `signet` these are `SIGNET_API_KEY`,
    /// `SIGNET_EVENTS_UPLOAD_INTERVAL` and so on. A setting that cannot be read is an error, not the default.
    ///
    /// - Parameter config: Scoped to Signet's settings, as by `config.scoped(to: "signet")`.
    /// - Throws: `invalidConfiguration` with the keys of all settings that are missing or cannot be read.
    public init(config: ConfigReader) throws(SignetError) {
        var settings = SettingsReader(config)
        self.init(
            apiKey: settings.requiredText("apiKey", isSecret: true),
            secret: Secret(settings.text("secret", isSecret: true) ?? ""),
            directory: settings.requiredText("directory")
        )
        var mode = Sessions.Mode.server
        settings.choice("defaults", of: ["server": .server, "application": .application], into: &mode)
        if mode == .application { self.useApplicationDefaults() }
        settings.choice(
            "environment",
            of: ["production": .production, "development": .development],
            into: &self.environment
        )
        settings.choice(
            "authentication",
            of: ["signature": .signature, "basic": .basic, "keyOnly": .keyOnly],
            into: &self.authentication
        )
        if self.secret.isEmpty { settings.note("secret is missing") }
        let platforms = ClientPlatform.allCases.map { ($0.rawValue, $0) }
        settings.choice("clientPlatform", of: Dictionary(uniqueKeysWithValues: platforms), into: &self.clientPlatform)
        self.baseURL = settings.server("baseURL")
        self.readEndpoints(&settings)
        settings.seconds("shutdownLimit", into: &self.shutdownLimit)
        settings.seconds("identity.requestTimeout", into: &self.identity.requestTimeout)
        settings.integer("identity.maximumInFlight", into: &self.identity.maximumInFlight)
        settings.number("identity.automaticPerSecond", into: &self.identity.automaticPerSecond)
        settings.choice(
            "identity.atOpen",
            of: ["ifUnknown": .ifUnknown, "oncePerProcess": .oncePerProcess, "none": .none],
            into: &self.identity.atOpen
        )
        self.readApplication(&settings)
        self.readSessions(&settings)
        self.readEvents(&settings)
        if let retention = settings.seconds("installations.retention") {
            self.installations.retention = retention == .zero ? nil : retention
        }
        try settings.finish()
    }

    private mutating func readEndpoints(_ settings: inout SettingsReader) {
        if let domain = settings.server("endpoints.customDomain") {
            do throws(SignetError) {
                self.endpoints = try Endpoints(customDomain: domain)
            } catch {
                settings.note("endpoints.customDomain cannot be used: \(error.message)")
            }
        }
        // A single endpoint takes precedence over the layout of a domain.
        if let url = settings.server("endpoints.identity") { self.endpoints.identity = url }
        if let url = settings.server("endpoints.alias") { self.endpoints.alias = url }
        if let url = settings.server("endpoints.events") { self.endpoints.events = url }
    }

    private mutating func readApplication(_ settings: inout SettingsReader) {
        let name = settings.text("application.name")
        let version = settings.text("application.version")
        let build = settings.text("application.build")
        guard name != nil || version != nil || build != nil else { return }
        var application = self.application ?? ApplicationInformation()
        application.name = name
        application.version = version
        application.build = build
        self.application = application
    }

    private mutating func readSessions(_ settings: inout SettingsReader) {
        settings.choice(
            "sessions.mode",
            of: ["server": .server, "application": .application],
            into: &self.sessions.mode
        )
        settings.choice(
            "sessions.tracking",
            of: ["automatic": .automatic, "manual": .manual],
            into: &self.sessions.tracking
        )
        settings.seconds("sessions.timeout", into: &self.sessions.timeout)
        settings.flag("sessions.beginsAtOpen", into: &self.sessions.beginsAtOpen)
    }

    private mutating func readEvents(_ settings: inout SettingsReader) {
        settings.choice("events.uploadMode", of: ["single": .single, "bulk": .bulk], into: &self.events.uploadMode)
        settings.choice("events.userFacts", of: ["changes": .changes, "all": .all], into: &self.events.userFacts)
        settings.choice(
            "events.storage.whenFull",
            of: ["refuse": .refuse, "dropOldest": .dropOldest],
            into: &self.events.storage.whenFull
        )
        if let interval = settings.seconds("events.uploadInterval") { self.events.uploadInterval = interval }
        if let pause = settings.seconds("events.pauseWithoutRetryAfter") { self.events.pauseWithoutRetryAfter = pause }
        settings.seconds("events.priorityUploadDelay", into: &self.events.priorityUploadDelay)
        settings.seconds("events.requestTimeout", into: &self.events.requestTimeout)
        settings.integer("events.maximumInFlight", into: &self.events.maximumInFlight)
        settings.integer("events.maximumBatchBytes", into: &self.events.maximumBatchBytes)
        settings.integer("events.maximumRequestBytes", into: &self.events.maximumRequestBytes)
        settings.seconds("events.storage.maximumAge", into: &self.events.storage.maximumAge)
        let plan = settings.text("events.dataPlan.id")
        let version = settings.integer("events.dataPlan.version")
        if let plan {
            self.events.dataPlan = DataPlan(id: plan, version: version)
        } else if version != nil {
            settings.note("events.dataPlan.id is missing")
        }
        if let bytes = settings.integer("events.storage.maximumBytes") {
            self.events.storage.maximumBytes = UInt64(max(0, bytes))
        }
    }
}
#endif
