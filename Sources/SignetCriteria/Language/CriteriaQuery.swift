// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// One test of one field of a record.
struct CriteriaQuery: Sendable {
    /// A field of an item in a list.
    struct Item: Sendable {
        let list: ItemList
        let key: ByteText
        /// The field's name, split at its dots.
        let path: [ByteText]
    }

    /// The whole name of the field.
    let field: ByteText
    /// The name, split at its dots; under `.iOS` without empty parts, so it may be empty.
    let path: [ByteText]
    /// True if the name has a dot.
    let isPath: Bool
    /// The item's field, if the query is about items.
    let item: Item?
    let test: CriteriaTest
    /// True if the query tests that an object is set that may be the event itself.
    let mayMeanEvent: Bool
    /// True if the name begins with that of a list of items, with or without a dot.
    let namesList: Bool

    init(field: String, test: CriteriaTest, mayMeanEvent: Bool, dialect: CriteriaDialect) {
        let name = ByteText(field)
        self.field = name
        self.path = Self.split(field, dialect)
        self.isPath = field.utf8.contains(Self.dot)
        self.test = test
        self.mayMeanEvent = mayMeanEvent
        self.namesList = ItemList.allCases.contains { name.begins(with: $0.rawValue) }
        let list = ItemList.allCases.first { name.begins(with: $0.rawValue + ".") }
        self.item = list.map { list in
            let key = String(decoding: field.utf8.dropFirst(list.rawValue.utf8.count + 1), as: UTF8.self)
            return Item(list: list, key: ByteText(key), path: Self.split(key, dialect))
        }
    }

    private static let dot = UInt8(ascii: ".")

    private static func split(_ field: String, _ dialect: CriteriaDialect) -> [ByteText] {
        field.utf8.split(separator: Self.dot, omittingEmptySubsequences: dialect == .iOS).map {
            ByteText(String(decoding: $0, as: UTF8.self))
        }
    }
}
