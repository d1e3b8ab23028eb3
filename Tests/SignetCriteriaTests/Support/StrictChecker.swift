// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetTransport

/// The documented meaning by brute force: each record in every way to pick one object of each of its arrays of objects.
///
/// It shares no code with the evaluator but the JSON that it reads, and asks everything anew for each question.
struct StrictChecker {
    private typealias Fields = [String: Value]

    /// A value in one way of picking: what it is as a whole, and what lies inside.
    private struct Value {
        let json: JSONValue
        var inside: [String: Value] = [:]
    }

    /// A record in one way of picking.
    private struct Version {
        let fields: Fields
        var item: Fields?
    }

    private struct Event {
        let type: String?
        let name: String?
        /// Of which list it has items; nil when it has none.
        let list: String?
        let versions: [Version]
    }

    static func match(_ document: JSONValue, _ records: [JSONValue]) -> String? {
        guard !records.isEmpty else { return nil }
        let events = records.compactMap(\.object).map(Self.event)
        let sets = document.object?["criteriaSets"]?.array ?? []
        return sets.compactMap(\.object).first { Self.holds($0["searchQuery"]?.object ?? [:], events) }?["criteriaId"]?
            .string
    }

    private static func holds(_ node: JSONObject, _ events: [Event]) -> Bool {
        guard let nodes = node["searchQueries"]?.array else { return Self.leafHolds(node, events) }
        let count = nodes.compactMap(\.object).count { Self.holds($0, events) }
        switch node["combinator"]?.string {
        case "And": return count == nodes.count
        case "Or": return count > 0
        default: return count == 0
        }
    }

    private static func leafHolds(_ leaf: JSONObject, _ events: [Event]) -> Bool {
        let combo = leaf["searchCombo"]?.object ?? [:]
        let queries = combo["searchQueries"]?.array?.compactMap(\.object) ?? []
        let matching = events.filter { $0.type == leaf["dataType"]?.string }.count { event in
            switch combo["combinator"]?.string {
            case "Or": queries.contains { Self.holdTogether([$0], event) }
            case "Not": !queries.contains { Self.holdTogether([$0], event) }
            default: Self.holdTogether(queries, event)
            }
        }
        return matching >= Int(leaf["minMatch"]?.number?.int64 ?? 1)
    }

    private static func holdTogether(_ queries: [JSONObject], _ event: Event) -> Bool {
        event.versions.contains { version in queries.allSatisfy { Self.holds($0, event, version) } }
    }

    private static func holds(_ query: JSONObject, _ event: Event, _ version: Version) -> Bool {
        let field = query["field"]?.string ?? ""
        if query["comparatorType"] == "IsSet", query["fieldType"] == "object", query["dataType"] == "customEvent",
            field == event.name
        {
            return true
        }
        for list in ["updateCart.updatedShoppingCartItems", "shoppingCartItems"] where field.hasPrefix(list + ".") {
            guard event.list != nil else {
                return version.fields[field].map { StrictComparator.passes($0.json, query) } ?? false
            }
            guard event.list == list, let item = version.item else { return false }
            let key = String(field.dropFirst(list.count + 1))
            let value = item[key] ?? Self.find(key, item)
            return value.map { StrictComparator.passes($0.json, query) } ?? false
        }
        var rest = field
        if event.type == "customEvent", let name = event.name, field.hasPrefix(name + "."),
            field.count > name.count + 1
        {
            rest = String(field.dropFirst(name.count + 1))
        }
        return Self.find(rest, version.fields).map { StrictComparator.passes($0.json, query) } ?? false
    }

    private static func find(_ path: String, _ fields: Fields) -> Value? {
        var fields = fields
        var found: Value?
        for key in path.components(separatedBy: ".") {
            guard let value = fields[key] else { return nil }
            found = value
            fields = value.inside
        }
        return found
    }

    private static func event(_ record: JSONObject) -> Event {
        let kind = record["eventType"]?.string
        let list = ["purchase": "shoppingCartItems", "updateCart": "updateCart.updatedShoppingCartItems"][kind ?? ""]
        var fields = record["dataFields"]?.object ?? [:]
        for (key, value) in record where key != "dataFields" {
            // What an app calls its fields hides what we call ours, but for what the event is.
            guard list != nil || fields[key] == nil || key == "eventType" || key == "eventName" else { continue }
            fields[key] = value
        }
        if kind == "updateCart" {
            fields["eventType"] = "customEvent"
            fields["eventName"] = "updateCart"
        }
        if list != nil {
            fields["items"] = nil
            fields[kind == "purchase" ? "shoppingCartItems" : "updatedShoppingCartItems"] = record["items"]
        }
        let items = list == nil ? [] : (record["items"]?.array ?? []).compactMap(\.object).flatMap(Self.versions)
        let plain = Self.versions(fields).map { Version(fields: $0) }
        return Event(
            type: fields["eventType"]?.string,
            name: fields["eventName"]?.string,
            list: list,
            versions: items.isEmpty
                ? plain : plain.flatMap { plain in items.map { Version(fields: plain.fields, item: $0) } }
        )
    }

    private static func versions(_ object: JSONObject) -> [Fields] {
        object.reduce([[:]]) { versions, member in
            let values = Self.versions(member.value)
            return versions.flatMap { fields in values.map { fields.merging([member.key: $0]) { $1 } } }
        }
    }

    private static func versions(_ value: JSONValue) -> [Value] {
        if let object = value.object { return Self.versions(object).map { Value(json: value, inside: $0) } }
        let objects = value.array?.compactMap(\.object) ?? []
        guard !objects.isEmpty, objects.count == value.array?.count else { return [Value(json: value)] }
        return objects.flatMap(Self.versions).map { Value(json: value, inside: $0) }
    }
}
