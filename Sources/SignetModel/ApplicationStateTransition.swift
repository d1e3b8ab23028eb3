// SPDX-License-Identifier: Apache-2.0

/// A start, a move to the background or the foreground, or an exit of the app (Events API v2, `application_state_transition`).
package struct ApplicationStateTransition: Sendable, Hashable {
    /// The kinds of transition.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case initialized = "application_initialized"
        case exit = "application_exit"
        case background = "application_background"
        case foreground = "application_foreground"
    }

    /// The app's version, compared with that of the launch before.
    package enum LaunchKind: Sendable, Hashable {
        /// The app runs for the first time.
        case install
        /// The app runs for the first time in this version.
        case upgrade
        case same
    }

    /// The kind of transition.
    package var kind: Kind
    /// The version of the app, compared with that of the launch before; nil if unknown.
    package var launch: LaunchKind?
    /// True when the app was closed in order before; nil if unknown.
    package var wasClosedInOrder: Bool?
    /// The source that opened the app.
    package var launchReferral: String?

    package init(
        _ kind: Kind,
        launch: LaunchKind? = nil,
        wasClosedInOrder: Bool? = nil,
        launchReferral: String? = nil
    ) {
        self.kind = kind
        self.launch = launch
        self.wasClosedInOrder = wasClosedInOrder
        self.launchReferral = launchReferral
    }
}
