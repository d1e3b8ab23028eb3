// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria
import SignetModel
import SignetTransport

extension IterableRecord {
    /// Converts a logged event to a visitor's record; nil for a kind that visitors do not have.
    ///
    /// A purchase stays a purchase. Any other action with products becomes a custom event of its name, because an
    /// addition to a cart does not list the rest of the cart.
    ///
    /// - Parameters:
    ///   - event: The logged event.
    ///   - now: Seconds since 1970.
    /// - Throws: `invalidArgument` for values that a visitor's record cannot hold.
    init?(mirroring event: Event, now: Int64) throws(SignetError) {
        let fields = Dictionary(
            event.attributes.map { ($0.key, IterableValue($0.value)) },
            uniquingKeysWith: { $1 }
        )
        switch event.content {
        case .custom(let name, _):
            self = .customEvent(name, dataFields: try fields.json(), at: now)
        case .commerce(let commerce):
            guard let action = commerce.productAction else { return nil }
            let products = action.products.map { IterableProduct($0) }
            var items: [JSONObject] = []
            for product in products { items.append(try product.json()) }
            guard action.kind == .purchase else {
                var data = try fields.json() ?? JSONObject()
                data["items"] = .array(items.map(JSONValue.object))
                self = .customEvent(action.kind.rawValue, dataFields: data, at: now)
                return
            }
            let total = action.total ?? products.reduce(0) { $0 + $1.price * Double($1.quantity) }
            guard let total = JSONNumber(total) else { return nil }
            self = .purchase(items, total: total, dataFields: try fields.json(), at: now)
        default:
            return nil
        }
    }
}
