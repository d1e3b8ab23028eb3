// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// An answer of the platform about the current user, for services that may have to follow.
struct CurrentUserUpdate: Sendable {
    /// The call that was answered.
    enum Occasion: Sendable {
        /// Signet's own identify at a start.
        case start
        /// An identify or login of the app.
        case login
        /// A logout of the app.
        case logout
        /// A change of identities.
        case modify
    }

    let mpid: MPID
    /// The work of a service that follows.
    let call: OutboxEntry.Call
    /// True if the user, their names or their login are other ones than before.
    let isChange: Bool
    /// True if the user before had a name.
    let wasNamed: Bool
    let occasion: Occasion

    /// Compares the current user with the one before the answer.
    init(_ previous: User?, _ current: User, on occasion: Occasion) {
        let (before, now) = (previous.flatMap(Self.identification), Self.identification(of: current))
        self.mpid = current.mpid
        self.call = now ?? .leave
        self.isChange =
            previous?.mpid != current.mpid || previous?.isLoggedIn != current.isLoggedIn || before != now
        self.wasNamed = before != nil
        self.occasion = occasion
    }

    private static func identification(of user: User) -> OutboxEntry.Call? {
        let (email, customerID) = (user.identities[.email]?.value, user.identities[.customerID]?.value)
        return email == nil && customerID == nil ? nil : .identify(email: email, customerID: customerID)
    }
}
