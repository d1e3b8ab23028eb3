//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetTransport

extension Purchase {
    /// Writes the members that a commerce event has beyond those of all events (Events API v2, `ProductAction`).
    func write(to writer: inout JSONWriter) {
        writer.key("product_action")
        writer.beginObject()
        writer.member("action", "purchase")
        writer.member("transaction_id", self.transactionID)
        writer.member("total_amount", self.total)
        if !self.products.isEmpty {
            writer.key("products")
            writer.beginArray()
            for product in self.products {
                product.write(to: &writer)
            }
            writer.endArray()
        }
        writer.endObject()
        if let currency = self.currency {
            writer.member("currency_code", currency)
        }
    }
}

extension Product {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", self.id)
        if let name = self.name {
            writer.member("name", name)
        }
        if let price = self.price {
            writer.member("price", price)
        }
        if let quantity = self.quantity {
            writer.member("quantity", quantity)
        }
        writer.endObject()
    }
}
