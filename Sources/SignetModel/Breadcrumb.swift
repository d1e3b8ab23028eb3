// SPDX-License-Identifier: Apache-2.0

/// A step of a user, recorded for a later crash report.
package struct Breadcrumb: Sendable, Hashable {
    /// The name of the step.
    package var label: String
    /// The time of the step, in milliseconds since 1970.
    package var milliseconds: Int64
    /// Further details.
    package var attributes: Attributes

    package init(label: String, milliseconds: Int64, attributes: Attributes = [:]) {
        self.label = label
        self.milliseconds = milliseconds
        self.attributes = attributes
    }
}
