// SPDX-License-Identifier: Apache-2.0

/// The installation that sends a request, as its headers name it.
struct InfobipCaller: Sendable, Hashable {
    /// The id that the service assigned; nil before the installation is registered.
    var pushRegistrationID: String?
    /// The UUID that the installation gave itself.
    var installationID: String
    /// The start of the session, in milliseconds since 1970; nil if there is no session.
    var sessionStart: Int64?
    /// True while the app is in the foreground.
    var isForeground: Bool

    init(
        pushRegistrationID: String?,
        installationID: String,
        sessionStart: Int64? = nil,
        isForeground: Bool = true
    ) {
        self.pushRegistrationID = pushRegistrationID
        self.installationID = installationID
        self.sessionStart = sessionStart
        self.isForeground = isForeground
    }
}
