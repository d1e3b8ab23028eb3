//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What only few events have.
package struct EventOptions: Sendable, Hashable {
    /// What any event has where nothing was said.
    package static let none = EventOptions()

    /// Texts for the receivers of the event that are no attributes.
    package var customFlags: [String: String] = [:]
    /// What kind of thing it was.
    package var category: String?
    /// Where it happened.
    package var location: Location?
    /// By how much it changes what the user is worth.
    package var lifetimeValueChange: LifetimeValueChange?
    /// Whether it begins a session where there is none.
    package var beginsSession = true
    /// Whether it is delivered.
    package var isUploaded = true
    /// What kind of activity a screen is for.
    package var activityType: String?
    /// When it began and how long it took.
    package var timing: Event.Timing?

    /// Whether the event says nothing of them: they are for the installation only.
    package var isSilent: Bool {
        self.customFlags.isEmpty && self.category == nil && self.location == nil && self.lifetimeValueChange == nil
            && self.activityType == nil && self.timing == nil
    }
}
