// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Signet
import SignetHummingbird

/// The pages, and the cart.
struct PageRoutes {
    let catalogue = Catalogue()

    func add(to router: some RouterMethods<ShopContext>) {
        router.get("/") { _, context in
            Page(title: "Shop", visitor: context.signet.installation, body: self.list)
        }
        router.get("/products/:id") { _, context in
            let product = try self.product(of: context)
            let visitor = context.signet.installation
            visitor?.logIfPossible(.viewed(product))
            return Page(title: product.name ?? product.id, visitor: visitor, body: self.detail(of: product))
        }
        router.post("/cart/:id") { _, context in
            let product = try self.product(of: context)
            context.signet.installation?.logIfPossible(.addedToCart(product))
            return Response.redirect(to: "/", type: .normal)
        }
    }

    private func product(of context: ShopContext) throws -> Product {
        guard let product = self.catalogue.product(context.parameters.get("id")) else { throw HTTPError(.notFound) }
        return product
    }

    private var list: String {
        let items = self.catalogue.products.map { product in
            "<li><a href=\"/products/\(product.id)\">\(Page.escaped(product.name ?? product.id))</a></li>"
        }
        return "<ul>\(items.joined())</ul>"
    }

    private func detail(of product: Product) -> String {
        """
        <p>\(Page.escaped(product.name ?? "")): \(product.price ?? 0)</p>
        <form method="post" action="/cart/\(product.id)"><button>Add to cart</button></form>
        <p><a href="/">All products</a></p>
        """
    }
}
