// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetTransport
import Testing

/// Every comparator with every kind of value: 55 rows by 31 stored values, of which one is none.
///
/// The column `iOS` was measured on the vendor's checker; `strict` was written by hand from the rules.
@Suite struct ComparatorTableTests {
    @Test(arguments: CriteriaDialect.allCases)
    func eachComparatorAnswersAsInTheTable(_ dialect: CriteriaDialect) throws {
        let table = try #require(try GoldenFile.read("comparators.json").object)
        let stored = try #require(table["stored"]?.array).compactMap(\.string)
        let rows = try #require(table["rows"]?.array).compactMap(\.object)
        #expect(stored.count == 30 && rows.count == 55)
        for row in rows {
            guard let wanted = row[dialect.rawValue]?.array?.compactMap(\.string) else {
                // The row has no answer: the pattern is an error.
                let error = #expect(throws: CriteriaError.self) { try Self.criteria(row, "purchase", dialect) }
                #expect(error?.code == .invalidPattern && dialect == .strict)
                continue
            }
            for type in ["customEvent", "purchase", "user"] {
                let criteria = try Self.criteria(row, type, dialect)
                let found = try stored.filter { text in
                    let value = try JSONReader.read(Array(text.utf8))
                    return try Self.matches(criteria, type, ["f": value])
                }
                #expect(found == wanted, "\(type) \(row)")
                #expect(try !Self.matches(criteria, type, ["g": 1]), "\(type) \(row), absent")
            }
        }
    }

    private static func criteria(_ row: JSONObject, _ type: String, _ dialect: CriteriaDialect) throws -> Criteria {
        var query: JSONObject = ["dataType": .string(type), "field": "f", "fieldType": "string"]
        query["comparatorType"] = row["comparator"]
        query["value"] = row["value"]
        query["values"] = row["values"]
        return try Criteria(Document.of(Document.leaf(type, .object(query))), dialect: dialect)
    }

    private static func matches(_ criteria: Criteria, _ type: String, _ fields: JSONObject) throws -> Bool {
        let records = try CriteriaCheck.records([["eventType": .string(type), "dataFields": .object(fields)]])
        return try criteria.evaluate(records).matchedID != nil
    }
}
