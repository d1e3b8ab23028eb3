//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The app began, went to the background, came back or ended (Events API v2, `application_state_transition`).
package struct ApplicationStateTransition: Sendable, Hashable {
    /// What happened.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case initialized = "application_initialized"
        case exit = "application_exit"
        case background = "application_background"
        case foreground = "application_foreground"
    }

    /// What happened.
    package var kind: Kind
    /// Whether the app runs for the first time; nil when that is not told.
    package var isFirstRun: Bool?
    /// Whether the app runs for the first time in this version.
    package var isUpgrade: Bool?
    /// Whether the app was closed in order before.
    package var wasClosedInOrder: Bool?
    /// What opened the app.
    package var launchReferral: String?

    package init(
        _ kind: Kind,
        isFirstRun: Bool? = nil,
        isUpgrade: Bool? = nil,
        wasClosedInOrder: Bool? = nil,
        launchReferral: String? = nil
    ) {
        self.kind = kind
        self.isFirstRun = isFirstRun
        self.isUpgrade = isUpgrade
        self.wasClosedInOrder = wasClosedInOrder
        self.launchReferral = launchReferral
    }
}
