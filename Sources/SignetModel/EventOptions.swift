// SPDX-License-Identifier: Apache-2.0

/// Properties that few events have.
package struct EventOptions: Sendable, Hashable {
    /// The options of an event that sets none.
    package static let none = EventOptions()

    /// Texts for the receivers of the event, apart from its attributes.
    package var customFlags: [String: String] = [:]
    /// The category of the event; sent as the attribute `$Category`.
    package var category: String?
    /// The place of the event.
    package var location: Location?
    /// The change of the user's lifetime value.
    package var lifetimeValueChange: LifetimeValueChange?
    /// True when the event begins a session if there is none.
    package var beginsSession = true
    /// True when the event is delivered.
    package var isUploaded = true
    /// The purpose of a screen (`activity_type`).
    package var activityType: String?
    /// The start and the duration of the event.
    package var timing: Event.Timing?

    /// True when no option is sent: those that are set concern the installation only.
    package var isSilent: Bool {
        self.customFlags.isEmpty && self.category == nil && self.location == nil && self.lifetimeValueChange == nil
            && self.activityType == nil && self.timing == nil
    }
}
