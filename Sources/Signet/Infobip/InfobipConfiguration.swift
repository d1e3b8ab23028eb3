//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel
public import SignetTransport
import SignetWire

/// How installations take part in profiles: people, and the installations that they have (Infobip Mobile API).
public struct InfobipConfiguration: Sendable {
    /// Gives a token (JWT) for an installation whose person is asked about; nil for none, then the application code is sent.
    public typealias TokenSupplier = @Sendable (_ installation: InstallationID) async throws -> Secret?

    /// The code of the application; another code forgets what was known with the one before.
    public var applicationCode: Secret
    /// A base URL of your own, such as an emulator; nil for the documented one.
    ///
    /// The service may name another address: on a host of one's own only there, else in the vendor's domain, https only.
    public var baseURL: ServerURL?
    /// Asked before each fetch, save and personalize of a person; what it gives is checked before it is sent.
    public var tokens: TokenSupplier?
    /// What installations run on; the version of this library is filled in.
    public var system = InfobipInstallationSystem()
    /// The name of the app, in the header `User-Agent`.
    public var bundleID: String?
    /// Whether model, version of the app, safety, language, name and time zone are kept to oneself.
    public var omitsDeviceInformation = false
    /// Whether what is known of people, and what is to be saved of them, is kept on disk.
    ///
    /// True by default. If not, memory has everything all the same, but what was not sent before the end of the process is
    /// lost, events and sessions among it, and what an earlier run has kept is scrubbed when an installation is opened; what
    /// it could not read and has set aside, at the start.
    public var persistsUserData = true
    /// Whether a new installation is to get push messages.
    public var isPushRegistrationEnabled = true
    /// Whether users let installations show messages; nil when nobody knows.
    public var notificationsEnabled: Bool?
    /// Whether ``Installation/login(_:whenBusy:retry:)``, `identify` and `logout` also personalize and depersonalize.
    ///
    /// By the customer id and the e-mail address of the user. Where it was somebody else's, the installation is made nobody's
    /// by the same request, and until that is done saves and fetches of a person are refused.
    public var followsLogin = false
    /// How long one try of a request may take; 20 s by default, at least 1 s.
    public var requestTimeout: Duration = .seconds(20)
    /// How many requests of all installations are under way at once; 16 by default, at least 1.
    public var maximumInFlight = 16

    /// Makes a configuration with the documented defaults.
    public init(applicationCode: Secret) {
        self.applicationCode = applicationCode
    }

    /// What is wrong with it.
    var problems: [String] {
        var problems: [String] = []
        if self.applicationCode.isEmpty {
            problems.append("infobip.applicationCode is empty: use the code of the application")
        }
        if self.requestTimeout < .seconds(1) { problems.append("infobip.requestTimeout is below 1 s") }
        if self.maximumInFlight < 1 { problems.append("infobip.maximumInFlight is below 1") }
        return problems
    }

    var server: InfobipServer {
        self.baseURL.map { InfobipServer($0) } ?? .production
    }
}
