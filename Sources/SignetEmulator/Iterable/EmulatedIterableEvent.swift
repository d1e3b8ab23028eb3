// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

public import struct FoundationEssentials.Date
public import enum SignetModel.AttributeValue

/// A custom event, a purchase or the contents of a cart, as it arrived at Iterable's API.
public struct EmulatedIterableEvent: Sendable, Hashable {
    /// The kind of event.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// `events/track`.
        case custom
        /// `commerce/trackPurchase`.
        case purchase
        /// `commerce/updateCart`.
        case cart
    }

    /// The kind of event.
    public let kind: Kind
    /// The user that the request named; a merge does not change it.
    public let user: EmulatedIterableUserID
    /// `items` of a purchase or a cart.
    public let items: [EmulatedIterableItem]
    /// The number of the first request with it, in order over all routes of the project.
    public internal(set) var number = 0
    /// The time of the first arrival.
    public internal(set) var receivedAt = Date(timeIntervalSince1970: 0)
    /// The number of requests with its `id`; 1 for an event without one.
    public internal(set) var deliveries = 1
    /// True if an earlier request had the same content for the same user: most likely it was sent twice.
    ///
    /// Only for events without an `id`; the platform keeps both.
    public internal(set) var isRepetition = false
    /// The user who had the event before a merge moved it; nil if it never moved.
    public internal(set) var mergedFrom: EmulatedIterableUserID?
    /// The whole request.
    package let json: JSONObject

    /// Reads an event of a checked request.
    init(_ kind: Kind, of user: EmulatedIterableUserID, items: [EmulatedIterableItem] = [], json: JSONObject) {
        self.kind = kind
        self.user = user
        self.items = items
        self.json = json
    }

    /// `eventName` of a custom event.
    public var name: String? { self.json["eventName"]?.string }
    /// `id`: a later request with the same id replaces the event, as documented, and keeps its position.
    public var eventID: String? { self.json["id"]?.string }
    /// `createdAt`, in seconds; nil if the request had none.
    public var createdAt: Date? {
        self.json["createdAt"]?.number?.int64.map { Date(timeIntervalSince1970: Double($0)) }
    }
    /// `total` of a purchase.
    public var total: Double? { self.json["total"]?.number?.double }
    /// The members of `dataFields` with single values.
    public var fields: [String: AttributeValue] { IterableFields.singleValues(of: self.dataFields) }
    /// The client's own bookkeeping members that leaked, here or in `dataFields`: `eventType` and `eventTimeStamp`.
    public var bookkeeping: [String] {
        IterableFields.bookkeeping(in: self.json) + IterableFields.bookkeeping(in: self.dataFields)
    }

    private var dataFields: JSONObject {
        self.json["dataFields"]?.object ?? JSONObject()
    }

    /// Returns the event with the content of a later request with the same id.
    func replaced(by later: EmulatedIterableEvent) -> EmulatedIterableEvent {
        var event = later
        event.number = self.number
        event.receivedAt = self.receivedAt
        event.deliveries = self.deliveries + 1
        event.mergedFrom = self.mergedFrom
        return event
    }
}

extension EmulatedIterableEvent: CustomStringConvertible {
    /// The kind and the request number, without names and fields.
    public var description: String {
        "EmulatedIterableEvent(\(self.kind), request \(self.number))"
    }
}

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
