//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// A trace of what a user did, to go with a later crash report.
package struct Breadcrumb: Sendable, Hashable {
    /// What was done.
    package var label: String
    /// When, in milliseconds since 1970.
    package var milliseconds: Int64
    /// Details.
    package var attributes: Attributes

    package init(label: String, milliseconds: Int64, attributes: Attributes = [:]) {
        self.label = label
        self.milliseconds = milliseconds
        self.attributes = attributes
    }
}
