// SPDX-License-Identifier: Apache-2.0

import Signet
public import SignetModel
import SignetTransport
import SignetWire

/// An item that a visitor bought, or has in the cart.
public struct IterableProduct: Sendable, Hashable {
    /// The id in your catalogue.
    public var id: String
    /// The name as shown.
    public var name: String
    /// The price of one piece, a number in any locale.
    public var price: Double
    /// The number of pieces.
    public var quantity: Int64
    /// The stock keeping unit.
    public var sku: String?
    /// A description of the item.
    public var text: String?
    /// The URL of its page.
    public var url: String?
    /// The URL of its picture.
    public var imageURL: String?
    /// The names of its categories.
    public var categories: [String]
    /// Further details.
    public var fields: IterableFields

    /// Makes an item.
    public init(
        id: String,
        name: String,
        price: Double,
        quantity: Int64,
        sku: String? = nil,
        text: String? = nil,
        url: String? = nil,
        imageURL: String? = nil,
        categories: [String] = [],
        fields: IterableFields = [:]
    ) {
        self.id = id
        self.name = name
        self.price = price
        self.quantity = quantity
        self.sku = sku
        self.text = text
        self.url = url
        self.imageURL = imageURL
        self.categories = categories
        self.fields = fields
    }

    /// Makes an item from a product of a commerce event.
    ///
    /// A missing name is empty, a missing price is zero, and the quantity is rounded to a whole number, one at least if
    /// there is any.
    public init(_ product: Product) {
        self.init(
            id: product.id,
            name: product.name ?? "",
            price: product.price ?? 0,
            quantity: Self.pieces(product.quantity ?? 1),
            categories: product.category.map { [$0] } ?? [],
            fields: Dictionary(
                product.attributes.map { ($0.key, IterableValue($0.value)) },
                uniquingKeysWith: { $1 }
            )
        )
    }

    private static func pieces(_ quantity: Double) -> Int64 {
        let pieces = Int64(exactly: quantity.rounded()) ?? 1
        return quantity > 0 ? max(1, pieces) : pieces
    }

    /// The item as the members of a stored record.
    func json() throws(SignetError) -> JSONObject {
        guard let price = JSONNumber(self.price) else {
            throw SignetError(.invalidArgument, "The price of an item is not a finite number.")
        }
        var object: JSONObject = [
            "id": .string(self.id), "name": .string(self.name), "price": .number(price),
            "quantity": .number(JSONNumber(self.quantity)),
        ]
        object["sku"] = self.sku.map(JSONValue.string)
        object["description"] = self.text.map(JSONValue.string)
        object["url"] = self.url.map(JSONValue.string)
        object["imageUrl"] = self.imageURL.map(JSONValue.string)
        if !self.categories.isEmpty { object["categories"] = .array(self.categories.map(JSONValue.string)) }
        object["dataFields"] = try self.fields.json().map(JSONValue.object)
        return object
    }
}

extension IterableProduct: CustomStringConvertible, CustomReflectable {
    /// The quantity, without the rest of the item.
    public var description: String {
        "IterableProduct(\(self.quantity))"
    }

    /// A mirror with the quantity only.
    public var customMirror: Mirror {
        Mirror(self, children: ["quantity": self.quantity])
    }
}
