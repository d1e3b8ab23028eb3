// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// One test of one field of a record.
struct CriteriaQuery: Sendable {
    /// What the query is about, by the beginning of its field's name.
    enum Subject: Sendable {
        case field
        /// The name begins with that of a list of items.
        case list
        case item(Item)
    }

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
    let subject: Subject
    let test: CriteriaTest
    private let marks: Marks

    private struct Marks: OptionSet, Sendable {
        let rawValue: UInt8

        /// The name has a dot.
        static let path = Marks(rawValue: 1)
        /// The query tests that an object is set that may be the event itself.
        static let event = Marks(rawValue: 2)
    }

    init(field: String, test: CriteriaTest, mayMeanEvent: Bool, dialect: CriteriaDialect) {
        let name = ByteText(field)
        self.field = name
        self.path = Self.split(field, dialect)
        self.test = test
        var marks: Marks = mayMeanEvent ? .event : []
        if field.utf8.contains(Self.dot) { marks.insert(.path) }
        self.marks = marks
        if let list = ItemList.allCases.first(where: { name.begins(with: $0.rawValue + ".") }) {
            let key = String(decoding: field.utf8.dropFirst(list.rawValue.utf8.count + 1), as: UTF8.self)
            self.subject = .item(Item(list: list, key: ByteText(key), path: Self.split(key, dialect)))
        } else {
            self.subject = ItemList.allCases.contains { name.begins(with: $0.rawValue) } ? .list : .field
        }
    }

    /// True if the name has a dot.
    var isPath: Bool { self.marks.contains(.path) }

    /// True if the query tests that an object is set that may be the event itself.
    var mayMeanEvent: Bool { self.marks.contains(.event) }

    /// The item's field, if the query is about items.
    var item: Item? {
        if case .item(let item) = self.subject { item } else { nil }
    }

    /// True if the name begins with that of a list of items, with or without a dot.
    var namesList: Bool {
        if case .field = self.subject { false } else { true }
    }

    private static let dot = UInt8(ascii: ".")

    private static func split(_ field: String, _ dialect: CriteriaDialect) -> [ByteText] {
        field.utf8.split(separator: Self.dot, omittingEmptySubsequences: dialect == .iOS).map {
            ByteText(String(decoding: $0, as: UTF8.self))
        }
    }
}

/// The lists of items that criteria can query, by the prefix of their fields.
enum ItemList: String, Sendable, CaseIterable {
    /// The items of a cart update.
    case cart = "updateCart.updatedShoppingCartItems"
    /// The items of a purchase.
    case purchase = "shoppingCartItems"

    /// The name without the event's name in front.
    var fieldBehindEvent: String {
        switch self {
        case .cart: "updatedShoppingCartItems"
        case .purchase: self.rawValue
        }
    }
}

/// A test of a value.
enum CriteriaTest: Sendable {
    /// The directions of a comparison of numbers.
    enum Order: Sendable {
        case greater
        case less
        case greaterOrEqual
        case lessOrEqual
    }

    /// Equal to any of these.
    case equals([CriteriaOperand])
    /// Present, and equal to none of these.
    case differs([CriteriaOperand])
    /// Present and not empty.
    case isSet
    /// A number on that side of any of these.
    case compares(Order, [CriteriaOperand])
    /// Text that contains any of these, or a list with such an element.
    case contains([CriteriaOperand])
    /// Text that begins with any of these.
    case startsWith([CriteriaOperand])
    /// Text in which any of these is found.
    case matches([Pattern])
    /// A test that never holds, with the reason why the dialect cannot read the query.
    case never(String)
}

/// The value that a criterion compares with, parsed once into each form.
struct CriteriaOperand: Sendable {
    let text: ByteText
    let integer: Int64?
    let double: Double?

    init(_ text: String, dialect: CriteriaDialect) {
        let text = dialect == .iOS ? NumberText.rewritten(text) : text
        self.text = ByteText(text)
        self.integer = Int64(text)
        self.double = NumberText.double(text, dialect: dialect)
    }

    var bool: Bool? {
        self.text == "true" ? true : self.text == "false" ? false : nil
    }
}
