//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetTransport

extension IterableRecord {
    /// The name of a custom event.
    package var eventName: String? {
        self.members[Key.name]?.string
    }

    /// When it happened, in seconds since 1970, as the service is told.
    package var createdAt: Int64? {
        (self.members[Key.createdAt] ?? self.members[Key.time])?.number?.int64
    }

    /// The details that the app gave: of a user update its fields.
    package var dataFields: JSONObject? {
        self.members[Key.data]?.object
    }

    /// The items of a purchase or a cart.
    package var items: [JSONValue]? {
        self.members[Key.items]?.array
    }

    /// What a purchase cost.
    package var total: JSONNumber? {
        self.members[Key.total]?.number
    }

    /// The campaign that a purchase is owed to.
    package var campaign: Int64? {
        self.members[Key.campaign]?.number?.int64
    }

    /// The template of the message of that campaign.
    package var template: Int64? {
        self.members[Key.template]?.number?.int64
    }

    /// The push token.
    package var token: String? {
        self.members[Key.token]?.string
    }

    /// Whether the service is to merge objects of a user update instead of replacing them.
    package var mergesNestedObjects: Bool {
        self.members[Key.mergesNested]?.bool ?? false
    }
}
