//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetTransport

/// A purchase (`commerce/trackPurchase`) or what is in a cart (`commerce/updateCart`), tracked or replayed: both say the
/// time of the record.
package struct IterableCommerceBody: Sendable, Hashable {
    /// What is said of the items.
    package enum Content: Sendable, Hashable {
        /// They were bought, for so much in all, perhaps because of a message.
        case purchase(
            total: Double,
            fields: JSONObject? = nil,
            purchaseID: String? = nil,
            campaign: Int64? = nil,
            template: Int64? = nil
        )
        /// They are in the cart now.
        case cart
    }

    /// Whose.
    package var user: IterableIdentity
    /// What was bought, or is to be.
    package var items: [IterableItem]
    /// Which of both.
    package var content: Content
    /// When, in seconds since 1970.
    package var createdAt: Int64

    package init(user: IterableIdentity, items: [IterableItem], content: Content, createdAt: Int64) {
        self.user = user
        self.items = items
        self.content = content
        self.createdAt = createdAt
    }

    /// Where the body goes.
    package var route: IterableRoute {
        switch self.content {
        case .purchase: .trackPurchase
        case .cart: .updateCart
        }
    }

    /// The JSON text.
    package func encoded() -> [UInt8] {
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
    /// The sizes, without content.
    package var description: String {
        "VisitorCommerceBody(\(self.route.name), \(self.items.count) items)"
    }
}
