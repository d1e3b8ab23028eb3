// SPDX-License-Identifier: Apache-2.0

public import Signet
public import SignetModel
public import SignetTransport
import SignetWire

/// The configuration of Infobip: people and their installations (Infobip Mobile API).
public struct InfobipConfiguration: Sendable {
    /// The code of the application.
    ///
    /// Another code forgets all that was known under the previous one.
    public var applicationCode: Secret
    /// A base URL of your own, such as an emulator; nil for the documented one.
    ///
    /// The service may name another address, https only. It must be on your own host if you set one, else in the
    /// vendor's domain.
    public var baseURL: ServerURL?
    /// The provider of a token (JWT) before each fetch, save and personalize of a person, by installation.
    ///
    /// Each token is checked before it is sent. If it returns nil, the application code is sent.
    public var tokens: TokenProvider<InstallationID>?
    /// The system of the installations; Signet fills in its own version.
    public var system = InfobipInstallationSystem()
    /// The name of the app, in the header `User-Agent`.
    public var bundleID: String?
    /// Omits device model, app version, device security, language, device name and time zone if true.
    public var omitsDeviceInformation = false
    /// Persists known data and unsaved changes of people if true; true by default.
    ///
    /// If false, memory still holds everything. Data not sent before the process ends are lost, events and sessions
    /// included. Opening an installation scrubs the data that an earlier run kept. The start scrubs the unreadable
    /// records that it quarantined.
    public var persistsUserData = true
    /// True if a new installation gets push messages.
    public var isPushRegistrationEnabled = true
    /// True if the user allows notifications; nil if unknown.
    public var notificationsEnabled: Bool?
    /// Makes `Installation.login(_:whenBusy:retry:)`, `identify` and `logout` personalize and depersonalize, too.
    ///
    /// The identity is the customer id and the e-mail address of the user. If the installation belongs to another
    /// person, the same request depersonalizes it. Until that is done, fetches of a person are refused. On by default.
    public var followsLogin = true
    /// The time limit of one attempt of a request; 20 s by default, at least 1 s.
    public var requestTimeout: Duration = .seconds(20)
    /// The most requests in flight at once, of all installations; 16 by default, at least 1.
    public var maximumInFlight = 16

    /// Makes a configuration with the documented defaults.
    public init(applicationCode: Secret) {
        self.applicationCode = applicationCode
    }

    /// The mistakes in the configuration.
    var problems: [String] {
        var problems: [String] = []
        if self.applicationCode.isEmpty {
            problems.append("infobip.applicationCode is empty: use the code of the application")
        }
        if let fault = self.applicationCode.textFault { problems.append("infobip.applicationCode \(fault.advice)") }
        if self.requestTimeout < .seconds(1) { problems.append("infobip.requestTimeout is below 1 s") }
        if self.maximumInFlight < 1 { problems.append("infobip.maximumInFlight is below 1") }
        return problems
    }

    var server: InfobipServer {
        self.baseURL.map { InfobipServer($0) } ?? .production
    }
}
