// SPDX-License-Identifier: Apache-2.0

extension SignetConfiguration {
    /// Makes a configuration with the defaults of an app on a device, as the vendor documents them for its SDKs.
    ///
    /// <doc:Settings> compares them with those of a server.
    ///
    /// - Parameters:
    ///   - apiKey: The API key of the workspace's input.
    ///   - secret: The secret of the key.
    ///   - directory: The folder of the runtime's state.
    /// - Returns: The configuration.
    public static func application(apiKey: String, secret: Secret, directory: String) -> SignetConfiguration {
        var configuration = SignetConfiguration(apiKey: apiKey, secret: secret, directory: directory)
        configuration.useApplicationDefaults()
        return configuration
    }

    /// Sets the settings in which an application differs from a server to the application's defaults.
    ///
    /// These are ``Sessions/mode``, ``Sessions/timeout``, ``Sessions/beginsAtOpen``, ``Events/uploadInterval``,
    /// ``Events/userFacts``, ``Events/pauseWithoutRetryAfter``, ``Events/Storage/maximumBytes``,
    /// ``Identity/atOpen`` and ``Installations/retention``. All others stay. Call it before you change any of them.
    public mutating func useApplicationDefaults() {
        self.sessions.mode = .application
        self.sessions.timeout = .seconds(60)
        self.sessions.beginsAtOpen = true
        self.events.uploadInterval = nil
        self.events.userFacts = .all
        self.events.pauseWithoutRetryAfter = .seconds(7200)
        self.events.storage.maximumBytes = nil
        self.identity.atOpen = .oncePerProcess
        self.installations.retention = nil
    }
}

extension SignetConfiguration.Identity {
    /// The automatic identify of an open that names no policy of its own.
    public enum AtOpen: Sendable, Hashable {
        /// Identifies while no user is known; see ``IdentifyPolicy/ifUnknown``.
        case ifUnknown
        /// Identifies once per process and installation; see ``IdentifyPolicy/oncePerProcess``.
        case oncePerProcess
        /// Sends no request; see ``IdentifyPolicy/none``.
        case none
    }
}
