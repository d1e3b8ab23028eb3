//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The installation that a request comes from, as its headers say it.
package struct InfobipCaller: Sendable, Hashable {
    /// The id that the service gave it; nil before it is registered.
    package var pushRegistrationID: String?
    /// The UUID that it gave itself.
    package var installationID: String
    /// When its session began, in milliseconds since 1970; nil when there is none.
    package var sessionStart: Int64?
    /// Whether its app is in front of somebody.
    package var isForeground: Bool

    package init(
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
