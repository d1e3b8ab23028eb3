// SPDX-License-Identifier: Apache-2.0

#if SIGNET_CONFIGURATION
public import Configuration
public import Signet
import SignetModel
import SignetTransport

extension IterableConfiguration {
    /// Reads a configuration from the reader's providers; nil if there is no setting of Iterable.
    ///
    /// Required: `iterable.apiKey`, read as a secret. Optional: `iterable.isEnabled`, `.region` (`unitedStates`,
    /// `europe`), `.addressing` (`email`, `userID`, `hybrid`), `.baseURL`, `.eventThreshold`, `.forwardsEvents`,
    /// `.followsLogin`.
    ///
    /// - Parameter config: Scoped to Signet's settings, as by `config.scoped(to: "signet")`.
    /// - Throws: `invalidConfiguration` with the keys of all settings that are missing or cannot be read.
    public init?(config: ConfigReader) throws(SignetError) {
        var settings = SettingsReader(config)
        let key = settings.text("iterable.apiKey", isSecret: true)
        self.init(apiKey: Secret(key ?? ""))
        var found = [settings.flag("iterable.isEnabled", into: &self.isEnabled)]
        found.append(
            settings.choice(
                "iterable.region",
                of: ["unitedStates": .unitedStates, "europe": .europe],
                into: &self.region
            )
        )
        found.append(
            settings.choice(
                "iterable.addressing",
                of: ["email": .email, "userID": .userID, "hybrid": .hybrid],
                into: &self.addressing
            )
        )
        self.baseURL = settings.server("iterable.baseURL")
        found.append(self.baseURL != nil)
        found.append(settings.integer("iterable.eventThreshold", into: &self.eventThreshold))
        found.append(settings.flag("iterable.forwardsEvents", into: &self.forwardsEvents))
        found.append(settings.flag("iterable.followsLogin", into: &self.followsLogin))
        if key == nil, found.contains(true) { settings.note("iterable.apiKey is missing") }
        try settings.finish()
        if key == nil { return nil }
    }
}
#endif
