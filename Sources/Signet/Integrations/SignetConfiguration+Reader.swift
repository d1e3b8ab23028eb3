//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if ConfigurationSupport
public import Configuration
import SignetModel
import SignetTransport

extension SignetConfiguration {
    /// Reads a configuration, from the environment, from files, from wherever the reader's providers look.
    ///
    /// Wanted: `apiKey`, `secret` (both read as secrets) and `directory`. What else may be there, times in seconds:
    /// `environment` (`production`, `development`), `authentication` (`signature`, `basic`, `keyOnly`), `baseURL`,
    /// `endpoints.identity`, `.alias`, `.events`, `.customDomain`, `clientPlatform` (a word of
    /// `client_sdk.platform`), `shutdownLimit`; `application.name`, `.version`, `.build`; `identity.requestTimeout`, `.maximumInFlight`;
    /// `sessions.mode` (`server`, `application`), `.tracking` (`automatic`, `manual`), `.timeout`, `.beginsAtOpen`;
    /// `events.uploadMode` (`single`, `bulk`), `.uploadInterval`, `.linger`, `.requestTimeout`, `.maximumInFlight`,
    /// `.maximumBatchBytes`, `.maximumRequestBytes`, `.maximumAge`, `.dataPlan.id`, `.dataPlan.version`,
    /// `.maximumBytes`, `.whenFull` (`refuse`, `dropOldest`); `visitors.apiKey` (a secret), which switches visitors' part
    /// on, `visitors.isEnabled`, `.region` (`unitedStates`, `europe`), `.addressing` (`email`, `userID`, `hybrid`),
    /// `.baseURL`, `.eventThreshold`, `.mirrorsEvents`, `.followsLogin`; `profiles.applicationCode` (a secret), which switches profiles on, `profiles.baseURL`, `.linksIdentity`,
    /// `.persistsUserData`, `.isPushRegistrationEnabled`. With the provider of environment variables and the scope `signet` these are `SIGNET_API_KEY`,
    /// `SIGNET_EVENTS_UPLOAD_INTERVAL` and so on. What is there and cannot be read is an error, not the default.
    ///
    /// - Parameter config: Scoped to Signet's settings, as by `config.scoped(to: "signet")`.
    /// - Throws: `invalidConfiguration` with the keys of all that is missing or cannot be read.
    public init(config: ConfigReader) throws(SignetError) {
        var settings = SettingsReader(config)
        self.init(
            apiKey: settings.requiredText("apiKey", isSecret: true),
            secret: Secret(settings.text("secret", isSecret: true) ?? ""),
            directory: settings.requiredText("directory")
        )
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
        self.readApplication(&settings)
        self.readSessions(&settings)
        self.readEvents(&settings)
        self.readVisitors(&settings)
        self.readProfiles(&settings)
        guard settings.problems.isEmpty else {
            throw SignetError(.invalidConfiguration, settings.problems.joined(separator: "; ") + ".")
        }
    }

    private mutating func readEndpoints(_ settings: inout SettingsReader) {
        if let domain = settings.server("endpoints.customDomain") {
            do throws(SignetError) {
                self.endpoints = try Endpoints(customDomain: domain)
            } catch {
                settings.note("endpoints.customDomain cannot be used: \(error.message)")
            }
        }
        // A single endpoint is more exact than the layout of a domain.
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
        settings.choice(
            "events.whenFull",
            of: ["refuse": .refuse, "dropOldest": .dropOldest],
            into: &self.events.storage.whenFull
        )
        self.events.uploadInterval = settings.seconds("events.uploadInterval")
        settings.seconds("events.linger", into: &self.events.linger)
        settings.seconds("events.requestTimeout", into: &self.events.requestTimeout)
        settings.integer("events.maximumInFlight", into: &self.events.maximumInFlight)
        settings.integer("events.maximumBatchBytes", into: &self.events.maximumBatchBytes)
        settings.integer("events.maximumRequestBytes", into: &self.events.maximumRequestBytes)
        settings.seconds("events.maximumAge", into: &self.events.storage.maximumAge)
        let plan = settings.text("events.dataPlan.id")
        let version = settings.integer("events.dataPlan.version")
        if let plan {
            self.events.dataPlan = DataPlan(id: plan, version: version)
        } else if version != nil {
            settings.note("events.dataPlan.id is missing")
        }
        if let bytes = settings.integer("events.maximumBytes") {
            self.events.storage.maximumBytes = UInt64(max(0, bytes))
        }
    }

    private mutating func readVisitors(_ settings: inout SettingsReader) {
        let key = settings.text("visitors.apiKey", isSecret: true)
        var visitors = VisitorConfiguration(apiKey: Secret(key ?? ""))
        var found = [settings.flag("visitors.isEnabled", into: &visitors.isEnabled)]
        found.append(
            settings.choice(
                "visitors.region",
                of: ["unitedStates": .unitedStates, "europe": .europe],
                into: &visitors.region
            )
        )
        found.append(
            settings.choice(
                "visitors.addressing",
                of: ["email": .email, "userID": .userID, "hybrid": .hybrid],
                into: &visitors.addressing
            )
        )
        visitors.baseURL = settings.server("visitors.baseURL")
        found.append(visitors.baseURL != nil)
        found.append(settings.integer("visitors.eventThreshold", into: &visitors.eventThreshold))
        found.append(settings.flag("visitors.mirrorsEvents", into: &visitors.mirrorsEvents))
        found.append(settings.flag("visitors.followsLogin", into: &visitors.followsLogin))
        if key != nil {
            self.visitors = visitors
        } else if found.contains(true) {
            settings.note("visitors.apiKey is missing")
        }
    }

    private mutating func readProfiles(_ settings: inout SettingsReader) {
        let code = settings.text("profiles.applicationCode", isSecret: true)
        var profiles = ProfileConfiguration(applicationCode: Secret(code ?? ""))
        profiles.baseURL = settings.server("profiles.baseURL")
        var found = [profiles.baseURL != nil]
        found.append(settings.flag("profiles.linksIdentity", into: &profiles.linksIdentity))
        found.append(settings.flag("profiles.persistsUserData", into: &profiles.persistsUserData))
        found.append(settings.flag("profiles.isPushRegistrationEnabled", into: &profiles.isPushRegistrationEnabled))
        if code != nil {
            self.profiles = profiles
        } else if found.contains(true) {
            settings.note("profiles.applicationCode is missing")
        }
    }
}

extension SettingsReader {
    fileprivate mutating func server(_ key: String) -> ServerURL? {
        guard let text = self.text(key) else { return nil }
        do throws(ServerURLError) {
            return try ServerURL(text)
        } catch {
            self.note("\(key) cannot be used: \(error.message)")
            return nil
        }
    }
}
#endif
