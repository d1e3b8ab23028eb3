// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The functions by which delivery reads and updates the users of installations.
struct EventUsers: Sendable {
    /// Returns the properties of a user for a batch.
    let user: @Sendable (InstallationID, MPID) throws(SignetError) -> BatchUser
    /// Returns the users of anonymous events on an installation, in the order of the events, the first user last.
    let anonymousAttributions: @Sendable (InstallationID) throws(SignetError) -> [AnonymousAttribution]
    /// Reports that a batch with a user's removals of attributes, up to a number, is written down.
    let removalsCarried: @Sendable (InstallationID, MPID, Int64) throws(SignetError) -> Void
    /// Reports that a batch with the consent of a departed user is written down; the closure returns true for users
    /// whose events are all in batches.
    let departedCarried:
        @Sendable (InstallationID, UInt32, (DepartedConsents.Entry) -> Bool) throws(SignetError) -> Void
    /// Returns the number of the journal's event after which an installation opted out; nil if it never did.
    let optedOutAfter: @Sendable (InstallationID) throws(SignetError) -> UInt64?
    /// Returns the number of an installation in the metadata of its events; nil if it has none.
    let number: @Sendable (InstallationID) throws(SignetError) -> UInt32?
}
