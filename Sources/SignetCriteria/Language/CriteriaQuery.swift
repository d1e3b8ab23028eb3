//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// One question about one field of a record.
struct CriteriaQuery: Sendable {
    /// A field of an item of a list.
    struct Item: Sendable {
        /// Of which list.
        let list: ItemList
        /// The field's name in the item.
        let key: String
        /// The same, split at its dots.
        let path: [String]
    }

    /// The whole name of the field.
    let field: String
    /// The name, split at its dots.
    let path: [String]
    /// The item's field when it is about items.
    let item: Item?
    /// What must be true of the field's value.
    let test: CriteriaTest
    /// Whether it asks that an object is set that may be the event itself.
    let mayMeanEvent: Bool
    /// Whether the name begins with that of a list of items, with or without a dot.
    let namesList: Bool

    init(field: String, test: CriteriaTest, mayMeanEvent: Bool) {
        self.field = field
        self.path = Self.split(field)
        self.test = test
        self.mayMeanEvent = mayMeanEvent
        self.namesList = ItemList.allCases.contains { field.hasPrefix($0.rawValue) }
        let list = ItemList.allCases.first { field.hasPrefix($0.rawValue + ".") }
        self.item = list.map { list in
            let key = String(field.dropFirst(list.rawValue.count + 1))
            return Item(list: list, key: key, path: Self.split(key))
        }
    }

    private static func split(_ field: String) -> [String] {
        field.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }
}
