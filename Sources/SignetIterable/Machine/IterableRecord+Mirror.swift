// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria
import SignetModel
import SignetTransport

extension IterableRecord {
    /// Converts a logged event to a visitor's record; nil for a kind that visitors do not have.
    ///
    /// A purchase stays a purchase. Any other action with products becomes a custom event of its name, because an
    /// addition to a cart does not list the rest of the cart. The app's attributes win over the fields of the copy.
    ///
    /// - Parameters:
    ///   - event: The logged event.
    ///   - now: Seconds since 1970.
    /// - Throws: `invalidArgument` for what a visitor's record cannot hold.
    init?(mirroring event: Event, now: Int64) throws(SignetError) {
        let fields = Dictionary(
            event.attributes.map { ($0.key, IterableValue($0.value)) },
            uniquingKeysWith: { $1 }
        )
        switch event.content {
        case .custom(let name, _):
            self = try Self.customEvent(name, dataFields: fields.json(), at: now).withinLimits()
        case .commerce(let commerce):
            guard let action = commerce.productAction else { return nil }
            self = try Self(mirroring: action, fields, now: now).withinLimits()
        default:
            return nil
        }
    }

    private init(mirroring action: ProductAction, _ fields: IterableFields, now: Int64) throws(SignetError) {
        var items: [JSONObject] = []
        for product in action.products { items.append(try IterableProduct(product).json()) }
        var data = try fields.json() ?? JSONObject()
        func add(_ name: String, _ value: JSONValue?) {
            if data[name] == nil { data[name] = value }
        }
        // The member `id` of a purchase is that of the record.
        add("transactionId", action.transactionID.map(JSONValue.string))
        guard action.kind == .purchase else {
            add("items", .array(items.map(JSONValue.object)))
            add("total", action.total.flatMap { JSONNumber($0) }.map(JSONValue.number))
            self = .customEvent(action.kind.rawValue, dataFields: data, at: now)
            return
        }
        guard let total = action.amount.flatMap({ JSONNumber($0) }) else {
            throw SignetError(.invalidArgument, "The total of a purchase is not a finite number.")
        }
        self = .purchase(items, total: total, dataFields: data.isEmpty ? nil : data, at: now)
    }
}
