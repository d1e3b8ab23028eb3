//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The lists of items that criteria can ask about, by the name that fields have there.
enum ItemList: String, Sendable, CaseIterable {
    /// Of a cart update.
    case cart = "updateCart.updatedShoppingCartItems"
    /// Of a purchase.
    case purchase = "shoppingCartItems"

    /// The name without that of the event in front.
    var fieldBehindEvent: String {
        switch self {
        case .cart: "updatedShoppingCartItems"
        case .purchase: self.rawValue
        }
    }
}
