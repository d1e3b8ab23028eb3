// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A commerce item of a purchase or a cart.
struct IterableItem: Sendable, Hashable {
    /// Always sent.
    var id: String
    /// Always sent.
    var name: String
    /// Always sent; a number, whatever the locale.
    var price: Double
    /// Always sent.
    var quantity: Int64
    /// Sent when set.
    var sku: String?
    /// Sent when set, as `description`.
    var itemDescription: String?
    /// Sent when set.
    var url: String?
    /// Sent when set.
    var imageURL: String?
    /// Sent when there are any.
    var categories: [String]
    /// Sent when set.
    var fields: JSONObject?

    init(
        id: String,
        name: String,
        price: Double,
        quantity: Int64,
        sku: String? = nil,
        itemDescription: String? = nil,
        url: String? = nil,
        imageURL: String? = nil,
        categories: [String] = [],
        fields: JSONObject? = nil
    ) {
        self.id = id
        self.name = name
        self.price = price
        self.quantity = quantity
        self.sku = sku
        self.itemDescription = itemDescription
        self.url = url
        self.imageURL = imageURL
        self.categories = categories
        self.fields = fields
    }

    /// Writes the element of a list.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if !self.categories.isEmpty {
            writer.member("categories", .array(self.categories.map(JSONValue.string)))
        }
        if let fields = self.fields {
            writer.member("dataFields", .object(fields))
        }
        Self.write("description", self.itemDescription, to: &writer)
        writer.member("id", self.id)
        Self.write("imageUrl", self.imageURL, to: &writer)
        writer.member("name", self.name)
        writer.member("price", self.price)
        writer.member("quantity", self.quantity)
        Self.write("sku", self.sku, to: &writer)
        Self.write("url", self.url, to: &writer)
        writer.endObject()
    }

    /// Writes the member `items` of a body.
    static func write(_ items: [IterableItem], to writer: inout JSONWriter) {
        writer.key("items")
        writer.beginArray()
        for item in items {
            item.write(to: &writer)
        }
        writer.endArray()
    }

    private static func write(_ key: String, _ value: String?, to writer: inout JSONWriter) {
        if let value {
            writer.member(key, value)
        }
    }
}

extension IterableItem: CustomStringConvertible {
    /// The quantity, without the rest of the item.
    var description: String {
        "IterableItem(\(self.quantity))"
    }
}
