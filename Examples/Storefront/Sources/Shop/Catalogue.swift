// SPDX-License-Identifier: Apache-2.0

import Signet

/// What the shop sells.
struct Catalogue: Sendable {
    let products = [
        Product(id: "b-1", name: "A Room with a View", category: "books", price: 9.50),
        Product(id: "b-2", name: "The Moonstone", category: "books", price: 11.00),
        Product(id: "t-1", name: "Teapot, blue", category: "kitchen", price: 24.90),
    ]

    func product(_ id: String?) -> Product? {
        self.products.first { $0.id == id }
    }
}
