// SPDX-License-Identifier: Apache-2.0

package import Signet

/// The actions of the apps, counted on their side.
package struct VisitorTally: Sendable, Hashable {
    /// Events that `log` accepted, by `event_type` of the Events API.
    package var logged: [String: Int] = [:]
    /// The installations that ever launched the app.
    package var installations: Set<InstallationID> = []
    /// Successful logins.
    package var logins = 0
    /// Calls that were refused, by the code of the error.
    package var refusals: [String: Int] = [:]
}
