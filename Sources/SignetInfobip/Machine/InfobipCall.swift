// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetWire

/// A call of an app on the Infobip profile of an installation.
enum InfobipCall: Sendable, Hashable {
    case fetchUser
    case saveUser(InfobipUserChanges)
    case fetchInstallation
    case saveInstallation(InfobipInstallationChanges)
    case personalize(Personalization)
    case depersonalize
    /// Depersonalizes another installation of the same person.
    case depersonalizeOther(String)
    /// Sets or clears the primary flag of another installation of the same person.
    case setPrimary(String, Bool)
    /// Sends an event that the service checks against its definition.
    case send(StoredInfobipEvent)
    /// Waits for a registration.
    case awaitRegistration

    /// The arguments of a personalize.
    struct Personalization: Sendable, Hashable {
        let identity: InfobipIdentity
        let attributes: InfobipAttributes?
        var options: InfobipRoute.PersonalizeOptions
    }
}
