//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

import struct FoundationEssentials.UUID

/// What a batch says of its user beside the events.
struct BatchUser: Sendable {
    /// The permanent id of the installation; nil when its record cannot be read.
    var deviceApplicationStamp: UUID?
    /// The attributes as they are when the batch is cut.
    var attributes: [String: AttributeValue] = [:]
    /// Attributes that were removed and are in no batch yet, with the numbers of their removals, ascending.
    var removals: [(key: String, number: Int64)] = []
    /// What the user agreed to, or what holds for all users of the installation.
    var consent: ConsentState?
    /// Whether the user was ephemeral and has gone; what they agreed to is kept until their events are in batches.
    var hasDeparted = false
    /// What brought the user to the app.
    var attribution: Attribution?
    /// The identities as they are when the batch is cut.
    var identities: [IdentityType: String] = [:]
    /// The identities of the device as they are when the batch is cut.
    var deviceIdentities: [IdentityType: String] = [:]
}
