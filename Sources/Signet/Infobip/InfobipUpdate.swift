//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

/// Something happened to the profile of an installation.
public struct InfobipUpdate: Sendable {
    /// What.
    public enum Kind: Sendable {
        /// The service has given the installation an id, or another one.
        case registrationUpdated(String)
        /// The app has set a push token.
        case pushTokenReceived(Secret)
        /// The service has what was changed of the installation, or has registered it.
        case installationSynced(InfobipInstallation)
        /// The service has what was changed of the person.
        case userSynced(InfobipUser)
        /// The installation is somebody's.
        case personalized
        /// The installation is nobody's, or somebody else's than before.
        case depersonalized
        /// A request failed, whoever asked for it; what it was to do is tried again, unless the service refused it.
        case failed(SignetError)
    }

    /// On which installation.
    public let installation: InstallationID
    /// What.
    public let kind: Kind
}
