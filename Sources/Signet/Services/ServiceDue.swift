// SPDX-License-Identifier: Apache-2.0

/// The work that the records of a service for one installation show.
package enum ServiceDue: Sendable, Hashable {
    /// Nothing is to be sent or removed.
    case nothing
    /// Something can be sent or must be removed now.
    case due
    /// Something is kept until the app does this.
    case awaitsApp(String)
}
