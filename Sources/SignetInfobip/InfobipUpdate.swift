// SPDX-License-Identifier: Apache-2.0

public import Signet
public import SignetModel

/// An update of the Infobip profile of an installation.
public struct InfobipUpdate: Sendable {
    /// The kind of an update.
    public enum Kind: Sendable {
        /// The service has given the installation an id, or a new one.
        case registrationUpdated(String)
        /// The app has set a push token.
        case pushTokenReceived(Secret)
        /// The service has taken the changes of the installation, or has registered it.
        case installationSynced(InfobipInstallation)
        /// The service has taken the changes of the person.
        case userSynced(InfobipUser)
        /// The installation belongs to a person.
        case personalized
        /// The installation has no person, or another one than before.
        case depersonalized
        /// A request failed, with or without a waiting caller.
        ///
        /// It is tried again, unless the service refused it.
        case failed(SignetError)
    }

    /// The installation that the update is about.
    public let installation: InstallationID
    /// The change that the update reports.
    public let kind: Kind
}
