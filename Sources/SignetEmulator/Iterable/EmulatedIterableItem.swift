// SPDX-License-Identifier: Apache-2.0

import SignetTransport

public import enum SignetModel.AttributeValue

/// A commerce item of a purchase or a cart.
public struct EmulatedIterableItem: Sendable, Hashable {
    /// `id`.
    public let id: String
    /// `name`.
    public let name: String
    /// `price`.
    public let price: Double
    /// `quantity`.
    public let quantity: Int64
    /// `sku`.
    public let sku: String?
    /// `description`.
    public let itemDescription: String?
    /// `url`.
    public let url: String?
    /// `imageUrl`.
    public let imageURL: String?
    /// `categories`.
    public let categories: [String]
    /// The members of `dataFields` with single values.
    public let fields: [String: AttributeValue]

    private static let members: Set<String> = [
        "id", "name", "price", "quantity", "sku", "description", "url", "imageUrl", "categories", "dataFields",
    ]

    init(_ value: JSONValue, path: String) throws(Refusal) {
        let members = try ObjectReader(value, path: path, allowed: Self.members)
        self.id = try members.required("id", members.text("id"))
        self.name = try members.required("name", members.text("name"))
        self.price = try members.required("price", members.double("price"))
        self.quantity = try members.required("quantity", members.integer("quantity"))
        self.sku = try members.text("sku")
        self.itemDescription = try members.text("description")
        self.url = try members.text("url")
        self.imageURL = try members.text("imageUrl")
        var categories: [String] = []
        for category in try members.list("categories") {
            guard let text = category.string else { throw members.wrong("categories", "a list of strings") }
            categories.append(text)
        }
        self.categories = categories
        self.fields = IterableFields.singleValues(of: try members.object("dataFields") ?? JSONObject())
    }

    /// Reads `items`, which is required.
    static func list(in members: ObjectReader) throws(Refusal) -> [EmulatedIterableItem] {
        guard members.value("items") != nil else { throw members.missing("items") }
        var items: [EmulatedIterableItem] = []
        for (position, item) in try members.list("items").enumerated() {
            items.append(try EmulatedIterableItem(item, path: "items[\(position)]"))
        }
        return items
    }
}

extension EmulatedIterableItem: CustomStringConvertible {
    /// The quantity, without the product.
    public var description: String {
        "EmulatedItem(\(self.quantity))"
    }
}
