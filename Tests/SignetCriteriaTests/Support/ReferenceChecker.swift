// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The vendor's checker for iOS as it is described: everything anew for each question, arrays by replacing them.
///
/// It shares no code with the evaluator.
struct ReferenceChecker {
    /// The fields and type of a record.
    private typealias Fields = [String: JSONValue]

    static func match(_ document: JSONValue, _ records: [JSONValue]) -> String? {
        guard !records.isEmpty else { return nil }
        let prepared = records.compactMap(\.object).map(Self.prepare)
        let processed = prepared.filter(\.isCommerce).map(\.fields) + prepared.filter { !$0.isCommerce }.map(\.fields)
        let checker = ReferenceChecker(records: processed)
        let sets = document.object?["criteriaSets"]?.array ?? []
        return sets.compactMap(\.object).first { checker.holds($0["searchQuery"]?.object ?? [:], false) }?[
            "criteriaId"
        ]?.string
    }

    private let records: [Fields]

    private static func prepare(_ record: JSONObject) -> (fields: Fields, isCommerce: Bool) {
        let type = record["eventType"]?.string
        let isCommerce = type == "purchase" || type == "updateCart"
        let own = Dictionary(
            uniqueKeysWithValues: record.filter { $0.key != "items" && $0.key != "dataFields" }.map {
                ($0.key, $0.value)
            }
        )
        let data =
            record["dataFields"]?.object.map { Dictionary(uniqueKeysWithValues: $0.map { ($0.key, $0.value) }) } ?? [:]
        var fields = isCommerce ? data.merging(own) { $1 } : own.merging(data) { $1 }
        if isCommerce, let items = record["items"]?.array {
            let list = type == "purchase" ? "shoppingCartItems" : "updateCart.updatedShoppingCartItems"
            fields[list] = .array(
                items.compactMap(\.object).map { item in
                    .object(item.reduce(into: JSONObject()) { $0["\(list).\($1.key)"] = $1.value })
                }
            )
        }
        if type == "updateCart" {
            fields["eventType"] = "customEvent"
            fields["eventName"] = "updateCart"
        }
        return (fields, isCommerce)
    }

    private func holds(_ node: JSONObject, _ isMarked: Bool) -> Bool {
        guard let nodes = node["searchQueries"]?.array else { return self.leafHolds(node, isMarked) }
        let combinator = node["combinator"]?.string
        let results = nodes.compactMap(\.object).map { self.holds($0, combinator == "Not") }
        switch combinator {
        case "And": return !results.contains(false)
        case "Or": return results.contains(true)
        default: return !results.contains(true)
        }
    }

    private func leafHolds(_ leaf: JSONObject, _ isMarked: Bool) -> Bool {
        let queries = leaf["searchCombo"]?.object?["searchQueries"]?.array?.compactMap(\.object) ?? []
        let seen = self.records.enumerated().filter {
            $0.element["eventType"] == leaf["dataType"] && $0.element["criteriaId"] == nil
        }
        let matching = seen.filter { Self.matches($0.element, queries) }
        guard matching.count >= Int(leaf["minMatch"]?.number?.int64 ?? 1) else { return false }
        return !isMarked || matching.count == seen.count && matching.last?.offset == self.records.count - 1
    }

    private static func matches(_ event: Fields, _ queries: [JSONObject]) -> Bool {
        let lists = ["updateCart.updatedShoppingCartItems", "shoppingCartItems"]
        func field(_ query: JSONObject) -> String { query["field"]?.string ?? "" }
        let items = queries.filter { query in lists.contains { field(query).hasPrefix($0 + ".") } }
        let plain = queries.filter { query in !lists.contains { field(query).hasPrefix($0 + ".") } }
        var itemHolds = false
        if let list = lists.lazy.compactMap({ event[$0]?.array }).first {
            itemHolds =
                !items.isEmpty
                && list.compactMap(\.object).contains { item in
                    items.allSatisfy { query in item[field(query)].map { Self.passes($0, query) } ?? false }
                }
            if !itemHolds, queries.contains(where: { query in lists.contains { field(query).hasPrefix($0) } }) {
                return false
            }
        }
        guard !plain.isEmpty else { return itemHolds }
        return plain.allSatisfy { query in
            if query["comparatorType"] == "IsSet", query["fieldType"] == "object", query["dataType"] == "customEvent",
                let name = event["eventName"]?.string
            {
                if name == field(query) { return true }
                if !field(query).contains(".") { return false }
            }
            guard field(query).contains(".") else { return event[field(query)].map { Self.passes($0, query) } ?? false }
            var path = field(query).split(separator: ".").map(String.init)
            if event["eventType"] == "customEvent", event["eventName"]?.string == path.first { path.removeFirst() }
            // The object that the next step is looked for in: what is not there, and an array of objects, is passed over.
            var fields = event
            var last: (name: String, elements: [JSONValue])?
            for step in path {
                guard let next = fields[step] else { continue }
                if let array = next.array, array.allSatisfy({ $0.object != nil }) {
                    last = (step, array)
                } else {
                    fields = Self.fields(next)
                }
            }
            if let last {
                return last.elements.contains { element in
                    let data = path.reversed().reduce(JSONValue.object([:])) { inner, key in
                        Self.object(key, key == last.name ? element : inner)
                    }
                    return Self.matches(event.merging(Self.fields(data)) { $1 }, queries)
                }
            }
            fields = event
            for step in path.dropLast() {
                guard let next = fields[step]?.object else { return false }
                fields = Self.fields(.object(next))
            }
            return path.last.flatMap { fields[$0] }.map { Self.passes($0, query) } ?? false
        }
    }

    private static func fields(_ value: JSONValue) -> Fields {
        Dictionary(uniqueKeysWithValues: (value.object ?? [:]).map { ($0.key, $0.value) })
    }

    private static func object(_ key: String, _ value: JSONValue) -> JSONValue {
        var object = JSONObject()
        object[key] = value
        return .object(object)
    }

    private static func passes(_ value: JSONValue, _ query: JSONObject) -> Bool {
        VendorComparator.passes(value, query)
    }
}
