// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

extension Commerce {
    /// Writes the members that only commerce events have (Events API v2, `commerce_event`).
    func write(to writer: inout JSONWriter) {
        if let action = self.productAction {
            writer.key("product_action")
            action.write(to: &writer)
        }
        if let promotion = self.promotionAction {
            writer.key("promotion_action")
            writer.beginObject()
            writer.member("action", promotion.action.rawValue)
            writer.key("promotions")
            writer.beginArray()
            for promotion in promotion.promotions { promotion.write(to: &writer) }
            writer.endArray()
            writer.endObject()
        }
        if !self.impressions.isEmpty {
            writer.key("product_impressions")
            writer.beginArray()
            for impression in self.impressions {
                writer.beginObject()
                writer.member("product_impression_list", impression.list)
                writer.products(impression.products)
                writer.endObject()
            }
            writer.endArray()
        }
        if let currency = self.currency { writer.member("currency_code", currency) }
        if let screen = self.screen { writer.member("screen_name", screen) }
        if self.isNonInteractive { writer.member("is_non_interactive", true) }
    }
}

extension ProductAction {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("action", self.kind.rawValue)
        if let id = self.transactionID { writer.member("transaction_id", id) }
        if let total = self.total { writer.member("total_amount", total) }
        if let tax = self.tax { writer.member("tax_amount", tax) }
        if let shipping = self.shipping { writer.member("shipping_amount", shipping) }
        if let affiliation = self.affiliation { writer.member("affiliation", affiliation) }
        if let code = self.couponCode { writer.member("coupon_code", code) }
        if let step = self.checkoutStep { writer.member("checkout_step", step) }
        if let options = self.checkoutOptions { writer.member("checkout_options", options) }
        if let list = self.list { writer.member("product_action_list", list) }
        if let source = self.listSource { writer.member("product_list_source", source) }
        if !self.products.isEmpty { writer.products(self.products) }
        writer.endObject()
    }
}

extension Promotion {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", self.id)
        if let name = self.name { writer.member("name", name) }
        if let creative = self.creative { writer.member("creative", creative) }
        if let position = self.position { writer.member("position", position) }
        writer.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func products(_ products: [Product]) {
        self.key("products")
        self.beginArray()
        for product in products { product.write(to: &self) }
        self.endArray()
    }
}

extension Product {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", self.id)
        if let name = self.name { writer.member("name", name) }
        if let brand = self.brand { writer.member("brand", brand) }
        if let category = self.category { writer.member("category", category) }
        if let variant = self.variant { writer.member("variant", variant) }
        if let position = self.position { writer.member("position", position) }
        if let price = self.price { writer.member("price", price) }
        if let quantity = self.quantity { writer.member("quantity", quantity) }
        if let code = self.couponCode { writer.member("coupon_code", code) }
        if let total = self.total { writer.member("total_product_amount", total) }
        if let date = self.addedToCart { writer.member("added_to_cart_time_ms", date.wireMilliseconds) }
        if !self.attributes.isEmpty { EventBody.write(self.attributes, to: &writer) }
        writer.endObject()
    }
}
