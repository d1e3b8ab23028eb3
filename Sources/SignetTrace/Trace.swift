// SPDX-License-Identifier: Apache-2.0

/// A day of traffic: the actions of an app's visitors, in order of time.
package struct Trace: Sendable {
    /// The name to show.
    package let file: String
    /// The workspace, from the first line.
    package let header: TraceHeader
    /// The actions of visitors, in order of time.
    package let lines: [TraceLine]
}
