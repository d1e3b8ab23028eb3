// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// The properties of a user that a batch contains besides the events.
struct BatchUser: Sendable {
    /// The permanent id of the installation; nil if its record cannot be read.
    var deviceApplicationStamp: UUID?
    /// The attributes at the time the batch is cut.
    var attributes: [String: AttributeValue] = [:]
    /// Removed attributes that no batch has reported yet, with the numbers of their removals, ascending.
    var removals: [(key: String, number: Int64)] = []
    /// The consent of the user, or the one that applies to all users of the installation.
    var consent: ConsentState?
    /// The number of the last change of the consent that no answered batch carries; nil for none.
    var unsentConsent: Int64?
    /// The consent of an ephemeral user who has left; it is kept until their events are in batches.
    var departedConsent: ConsentState?
    /// The attribution of the user: how they came to the app.
    var attribution: Attribution?
    /// The identities at the time the batch is cut.
    var identities: [IdentityType: String] = [:]
    /// The identities of the device at the time the batch is cut.
    var deviceIdentities: [IdentityType: String] = [:]
}
