// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

extension IterableRecord {
    /// The name of a custom event.
    package var eventName: String? {
        self.members[Key.name]?.string
    }

    /// The time of the record as reported to Iterable, in seconds since 1970.
    package var createdAt: Int64? {
        (self.members[Key.createdAt] ?? self.members[Key.time])?.number?.int64
    }

    /// The details that the app gave; the fields of a user update.
    package var dataFields: JSONObject? {
        self.members[Key.data]?.object
    }

    /// The items of a purchase or a cart.
    package var items: [JSONValue]? {
        self.members[Key.items]?.array
    }

    /// The total price of a purchase.
    package var total: JSONNumber? {
        self.members[Key.total]?.number
    }

    /// The campaign that led to a purchase.
    package var campaign: Int64? {
        self.members[Key.campaign]?.number?.int64
    }

    /// The template of that campaign's message.
    package var template: Int64? {
        self.members[Key.template]?.number?.int64
    }

    /// The push token.
    package var token: String? {
        self.members[Key.token]?.string
    }

    /// True if Iterable merges objects of a user update instead of replacing them.
    package var mergesNestedObjects: Bool {
        self.members[Key.mergesNested]?.bool ?? false
    }
}
