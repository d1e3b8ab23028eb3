//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

/// What an app asks of the profile of an installation.
enum InfobipCall: Sendable, Hashable {
    case fetchUser
    case saveUser(InfobipUserChanges)
    case fetchInstallation
    case saveInstallation(InfobipInstallationChanges)
    case personalize(Personalization)
    case depersonalize
    /// To make another installation of the same person nobody's.
    case depersonalizeOther(String)
    /// To make another installation of the same person the primary one, or no longer.
    case setPrimary(String, Bool)
    /// To tell of something that happened, checked against its definition.
    case send(StoredInfobipEvent)
    /// To wait until there is a registration.
    case awaitRegistration

    /// Who an installation is to be of, and how.
    struct Personalization: Sendable, Hashable {
        let identity: InfobipIdentity
        let attributes: InfobipAttributes?
        let options: InfobipRoute.PersonalizeOptions
    }
}
