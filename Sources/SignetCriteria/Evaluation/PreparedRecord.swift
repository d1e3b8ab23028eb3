// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A record as criteria see it: one level of fields by name, with the items of a purchase or a cart kept apart.
struct PreparedRecord: Sendable {
    let kind: Kind
    /// The name of a custom event.
    let name: ByteText?
    /// The list of a purchase or a cart, which stand before all other records.
    let commerce: ItemList?
    let fields: [ByteText: FieldValue]
    let items: Items?

    /// True for a custom event, with whose name its fields may begin.
    var isCustomEvent: Bool {
        if case .visible(Self.customEvent) = self.kind { true } else { false }
    }

    /// The way in which leaves select a record.
    enum Kind: Sendable {
        /// No leaf selects a record without a type.
        case untyped
        /// It has a type, but leaves skip it.
        case hidden
        /// Leaves select it by its type.
        case visible(ByteText)

        var hasType: Bool {
            if case .untyped = self { false } else { true }
        }
    }

    struct Items: Sendable {
        /// The kind of list; nil for one that an app put among the fields of another record.
        let list: ItemList?
        let elements: [[ByteText: FieldValue]]
    }

    init(_ record: IterableRecord, dialect: CriteriaDialect) {
        switch record.kind {
        case .purchase: self.init(commerce: record, .purchase, dialect)
        case .cartUpdate: self.init(commerce: record, .cart, dialect)
        default: self.init(other: record, dialect)
        }
    }

    /// Members of a commerce record that are not fields: items and details are read separately, and the message that
    /// led to a purchase is not an act of the visitor.
    private static let setApart: Set<ByteText> = [
        ByteText(IterableRecord.Key.items), ByteText(IterableRecord.Key.data), ByteText(IterableRecord.Key.campaign),
        ByteText(IterableRecord.Key.template),
    ]
    private static let kindKey = ByteText(IterableRecord.Key.kind)
    private static let name = ByteText(IterableRecord.Key.name)
    private static let customEvent = ByteText(IterableRecord.Kind.customEvent.rawValue)

    /// Prepares a purchase or a cart; the record's own members take precedence over its data fields.
    private init(commerce record: IterableRecord, _ list: ItemList, _ dialect: CriteriaDialect) {
        var fields = record.dataFields.map(FieldValue.fields) ?? [:]
        for (key, value) in record.members where !Self.setApart.contains(ByteText(key)) {
            fields[ByteText(key)] = FieldValue(value)
        }
        let type = list == .purchase ? IterableRecord.Kind.purchase : .customEvent
        fields[Self.kindKey] = .string(ByteText(type.rawValue))
        if list == .cart {
            // Iterable names a cart's event this way; the name is the first part of the fields' names.
            fields[Self.name] = .string(ByteText(IterableRecord.Kind.cartUpdate.rawValue))
        }
        let items = record.members[IterableRecord.Key.items].flatMap { value -> Items? in
            guard case .list(let elements) = FieldValue(value) else { return nil }
            fields[ByteText(dialect == .strict ? list.fieldBehindEvent : list.rawValue)] = .list(elements)
            return elements.objects.map { Items(list: list, elements: $0) }
        }
        self.init(fields, list, items, dialect)
    }

    /// Prepares any other record; the data fields take precedence over its own members, under `.iOS` even over type and
    /// name.
    ///
    /// Under `.strict` a record without a name of its own takes the one among its data fields, if there is one.
    private init(other record: IterableRecord, _ dialect: CriteriaDialect) {
        var fields = FieldValue.fields(of: record.members)
        let isUser = record.kind == .userUpdate
        if let data = record.dataFields {
            fields[ByteText(IterableRecord.Key.data)] = nil
            let hasName = record.eventName != nil
            for (name, value) in data {
                let key = ByteText(name)
                let isHidden = key == Self.kindKey || key == Self.name && hasName
                // The vendor stores a user update flat, and its type wins over a field of the same name.
                guard isUser ? key != Self.kindKey : dialect == .iOS || !isHidden else { continue }
                fields[key] = FieldValue(value)
            }
        }
        self.init(fields, nil, nil, dialect)
    }

    private init(
        _ fields: [ByteText: FieldValue],
        _ commerce: ItemList?,
        _ items: Items?,
        _ dialect: CriteriaDialect
    ) {
        self.fields = fields
        self.commerce = commerce
        let isHidden = dialect == .iOS && fields["criteriaId"] != nil
        self.kind = Self.text(fields[Self.kindKey]).map { isHidden ? .hidden : .visible($0) } ?? .untyped
        self.name = Self.text(fields[Self.name])
        self.items = items ?? (dialect == .iOS ? Self.foreignItems(fields) : nil)
    }

    private static func text(_ value: FieldValue?) -> ByteText? {
        if case .string(let text) = value { text } else { nil }
    }

    private static func foreignItems(_ fields: [ByteText: FieldValue]) -> Items? {
        for list in ItemList.allCases {
            if case .list(let elements) = fields[ByteText(list.rawValue)] {
                return elements.objects.map { Items(list: nil, elements: $0) }
            }
        }
        return nil
    }
}

/// The value of a field, with its numbers read.
indirect enum FieldValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Any other number, including whole ones beyond 64 bits: the nearest Double.
    case double(Double)
    case string(ByteText)
    case list(FieldList)
    case object([ByteText: FieldValue])

    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .number(let number):
            self = number.int64.map(FieldValue.integer) ?? .double(Double(number.text) ?? .nan)
        case .string(let text): self = .string(ByteText(text))
        case .array(let elements): self = .list(FieldList(elements.map { FieldValue($0) }))
        case .object(let object): self = .object(Self.fields(of: object))
        }
    }

    /// The members of an object by their names.
    static func fields(of object: JSONObject) -> [ByteText: FieldValue] {
        var fields: [ByteText: FieldValue] = [:]
        fields.reserveCapacity(object.count)
        for (key, value) in object {
            fields[ByteText(key)] = FieldValue(value)
        }
        return fields
    }
}

/// An array in a record, with the kind of its elements.
struct FieldList: Sendable {
    enum Kind: Sendable {
        case empty
        case numbers
        case strings
        case objects
        /// Booleans, arrays, nulls, or elements of several kinds.
        case other
    }

    let elements: [FieldValue]
    let kind: Kind

    init(_ elements: [FieldValue]) {
        self.elements = elements
        self.kind = elements.dropFirst().reduce(elements.first.map(Self.kind) ?? .empty) { kind, element in
            kind == Self.kind(of: element) ? kind : .other
        }
    }

    private static func kind(of element: FieldValue) -> Kind {
        switch element {
        case .integer, .double: .numbers
        case .string: .strings
        case .object: .objects
        case .null, .bool, .list: .other
        }
    }

    /// The elements if all of them are objects; empty for an empty array.
    var objects: [[ByteText: FieldValue]]? {
        guard self.kind == .objects || self.kind == .empty else { return nil }
        return self.elements.compactMap { if case .object(let fields) = $0 { fields } else { nil } }
    }
}
