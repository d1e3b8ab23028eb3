// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A purchase (`commerce/trackPurchase`) or the content of a cart (`commerce/updateCart`).
///
/// Tracked and replayed bodies both carry the time of the record.
struct IterableCommerceBody: Sendable, Hashable {
    /// The meaning of the items.
    enum Content: Sendable, Hashable {
        /// The items were bought, for this total, perhaps because of a message.
        case purchase(
            total: Double,
            fields: JSONObject? = nil,
            purchaseID: String? = nil,
            campaign: Int64? = nil,
            template: Int64? = nil
        )
        /// The items are in the cart now.
        case cart
    }

    /// The user who bought the items or has them in the cart.
    var user: IterableIdentity
    /// The items bought or in the cart.
    var items: [IterableItem]
    /// The kind of body: purchase or cart.
    var content: Content
    /// The time of the record, in seconds since 1970.
    var createdAt: Int64

    init(user: IterableIdentity, items: [IterableItem], content: Content, createdAt: Int64) {
        self.user = user
        self.items = items
        self.content = content
        self.createdAt = createdAt
    }

    /// The route of the request.
    var route: IterableRoute {
        switch self.content {
        case .purchase: .trackPurchase
        case .cart: .updateCart
        }
    }

    /// The JSON text.
    func encoded() -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.beginObject()
        if case .purchase(_, _, _, let campaign?, _) = self.content {
            writer.member("campaignId", campaign)
        }
        writer.member("createdAt", self.createdAt)
        if case .purchase(_, let fields, let purchaseID, _, _) = self.content {
            if let fields {
                writer.member("dataFields", .object(fields))
            }
            if let purchaseID {
                writer.member("id", purchaseID)
            }
        }
        IterableItem.write(self.items, to: &writer)
        self.user.writePreference(to: &writer)
        if case .purchase(let total, _, _, _, let template) = self.content {
            if let template {
                writer.member("templateId", template)
            }
            writer.member("total", total)
        }
        writer.key("user")
        writer.beginObject()
        self.user.write(to: &writer)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}

extension IterableCommerceBody: CustomStringConvertible {
    /// The route and the number of items, without content.
    var description: String {
        "IterableCommerceBody(\(self.route.name), \(self.items.count) items)"
    }
}
