// SPDX-License-Identifier: Apache-2.0

/// The lists of items that criteria can query, by the prefix of their fields.
enum ItemList: String, Sendable, CaseIterable {
    /// The items of a cart update.
    case cart = "updateCart.updatedShoppingCartItems"
    /// The items of a purchase.
    case purchase = "shoppingCartItems"

    /// The name without the event's name in front.
    var fieldBehindEvent: String {
        switch self {
        case .cart: "updatedShoppingCartItems"
        case .purchase: self.rawValue
        }
    }
}
