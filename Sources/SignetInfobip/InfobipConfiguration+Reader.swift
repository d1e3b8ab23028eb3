// SPDX-License-Identifier: Apache-2.0

#if SIGNET_CONFIGURATION
public import Configuration
public import Signet
import SignetModel
import SignetTransport

extension InfobipConfiguration {
    /// Reads a configuration from the reader's providers; nil if there is no setting of Infobip.
    ///
    /// Required: `infobip.applicationCode`, read as a secret. Optional: `infobip.baseURL`, `.followsLogin`,
    /// `.persistsUserData`, `.isPushRegistrationEnabled`.
    ///
    /// - Parameter config: Scoped to Signet's settings, as by `config.scoped(to: "signet")`.
    /// - Throws: `invalidConfiguration` with the keys of all settings that are missing or cannot be read.
    public init?(config: ConfigReader) throws(SignetError) {
        var settings = SettingsReader(config)
        let code = settings.text("infobip.applicationCode", isSecret: true)
        self.init(applicationCode: Secret(code ?? ""))
        self.baseURL = settings.server("infobip.baseURL")
        var found = [self.baseURL != nil]
        found.append(settings.flag("infobip.followsLogin", into: &self.followsLogin))
        found.append(settings.flag("infobip.persistsUserData", into: &self.persistsUserData))
        found.append(settings.flag("infobip.isPushRegistrationEnabled", into: &self.isPushRegistrationEnabled))
        if code == nil, found.contains(true) { settings.note("infobip.applicationCode is missing") }
        try settings.finish()
        if code == nil { return nil }
    }
}
#endif
