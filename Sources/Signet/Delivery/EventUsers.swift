// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Reads and updates the users of installations for delivery.
protocol EventUsers: Sendable {
    /// Returns the properties of a user for a batch.
    func batchUser(_ installation: InstallationID, _ mpid: MPID) throws(SignetError) -> BatchUser

    /// Returns the users of anonymous events on an installation, in the order of the events, the first user last.
    func anonymousAttributions(_ installation: InstallationID) throws(SignetError) -> [AnonymousAttribution]

    /// Forgets a user's removals of attributes, up to a number, that a written batch reports.
    ///
    /// - Throws: `SignetError` from the disk; then the next batch may report them again.
    func removalsCarried(_ installation: InstallationID, _ mpid: MPID, upTo number: Int64) throws(SignetError)

    /// Forgets the consent of departed users after a batch with it was written.
    ///
    /// - Parameters:
    ///   - installation: The installation.
    ///   - number: Its number in the metadata of its events.
    ///   - isDone: Returns true if all events of the entry's user are in batches.
    /// - Throws: `SignetError` from the disk; then the consent stays for a while longer.
    func departedCarried(
        _ installation: InstallationID,
        _ number: UInt32,
        _ isDone: (DepartedConsents.Entry) -> Bool
    ) throws(SignetError)

    /// Returns the number of the journal's event after which an installation opted out; nil if it never did.
    func optedOutAfter(_ installation: InstallationID) throws(SignetError) -> UInt64?

    /// Returns the number of an installation in the metadata of its events; nil if it has none.
    func number(_ installation: InstallationID) throws(SignetError) -> UInt32?

    /// Writes down the data of an open session that only its events contain.
    func fold(_ number: UInt32, of installation: InstallationID) throws(SignetError)
}
