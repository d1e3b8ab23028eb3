// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetTransport

/// Criteria in JSON, put together from pieces.
enum Document {
    /// A document with one criterion for each tree, with the ids 1, 2 and so on.
    static func of(_ trees: JSONValue...) -> JSONValue {
        let sets = trees.enumerated().map { index, tree -> JSONValue in
            ["criteriaId": .string(String(index + 1)), "name": "test", "searchQuery": tree]
        }
        return ["count": .number(JSONNumber(Int64(sets.count))), "criteriaSets": .array(sets)]
    }

    /// An inner node.
    static func node(_ combinator: String, _ nodes: JSONValue...) -> JSONValue {
        ["combinator": .string(combinator), "searchQueries": .array(nodes)]
    }

    /// A leaf, its queries joined by And.
    static func leaf(_ type: String, _ queries: JSONValue..., minMatch: JSONValue? = nil) -> JSONValue {
        Self.leaf(type, joinedBy: "And", queries, minMatch)
    }

    /// A leaf with its queries joined in another way.
    static func leaf(_ type: String, joinedBy combinator: String, _ queries: JSONValue...) -> JSONValue {
        Self.leaf(type, joinedBy: combinator, queries, nil)
    }

    private static func leaf(
        _ type: String,
        joinedBy combinator: String,
        _ queries: [JSONValue],
        _ minMatch: JSONValue?
    ) -> JSONValue {
        var leaf: JSONObject = [
            "dataType": .string(type),
            "searchCombo": ["combinator": .string(combinator), "searchQueries": .array(queries)],
        ]
        leaf["minMatch"] = minMatch
        return .object(leaf)
    }

    /// A query with one value.
    static func query(
        _ field: String,
        _ comparator: String,
        _ value: JSONValue = "",
        type: String = "customEvent",
        fieldType: String = "string"
    ) -> JSONValue {
        [
            "dataType": .string(type), "field": .string(field), "fieldType": .string(fieldType),
            "comparatorType": .string(comparator), "value": value,
        ]
    }

    /// A query with a list of values.
    static func query(_ field: String, _ comparator: String, in values: JSONValue) -> JSONValue {
        [
            "dataType": "customEvent", "field": .string(field), "fieldType": "string",
            "comparatorType": .string(comparator), "values": values,
        ]
    }

    /// The match of records in a document under a dialect.
    static func match(
        _ document: JSONValue,
        _ records: [JSONValue],
        _ dialect: CriteriaDialect
    ) throws -> String? {
        let records = try CriteriaCheck.records(.array(records))
        return try Criteria(document, dialect: dialect).evaluate(records).matchedID
    }

    /// Whether one tree holds for these records, under each dialect in turn.
    static func holds(_ tree: JSONValue, _ records: JSONValue...) throws -> (strict: Bool, iOS: Bool) {
        let document = Self.of(tree)
        return (try Self.match(document, records, .strict) != nil, try Self.match(document, records, .iOS) != nil)
    }

    /// A custom event as local storage has it.
    static func event(_ name: String, _ fields: JSONObject = [:]) -> JSONValue {
        [
            "eventType": "customEvent", "eventName": .string(name), "createdAt": 1_700_000_000,
            "dataFields": .object(fields),
        ]
    }

    /// A purchase as local storage has it.
    static func purchase(_ items: JSONValue..., fields: JSONObject = [:], total: JSONValue = 10) -> JSONValue {
        [
            "eventType": "purchase", "createdAt": 1_700_000_000, "total": total, "items": .array(items),
            "dataFields": .object(fields),
        ]
    }

    /// A cart update as local storage has it.
    static func cart(_ items: JSONValue...) -> JSONValue {
        ["eventType": "updateCart", "createdAt": 1_700_000_000, "items": .array(items)]
    }

    /// A user update with its fields in a member of their own.
    static func user(_ fields: JSONObject) -> JSONValue {
        ["eventType": "user", "eventTimeStamp": 1_700_000_000, "dataFields": .object(fields)]
    }
}
