//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// A record as criteria see it: one level of fields by name, and the items of a purchase or a cart apart.
struct PreparedRecord: Sendable {
    /// Which leaves look at it; nil when nobody does.
    let type: String?
    /// The name of a custom event.
    let name: String?
    /// Whether it stands before all others: a purchase or a cart.
    let isCommerce: Bool
    /// Whether leaves pass it over.
    let isHidden: Bool
    /// The fields.
    let fields: [String: FieldValue]
    /// The items, when it has a list of them.
    let items: Items?

    /// A list of items.
    struct Items: Sendable {
        /// Which list; nil for one that an app put among the fields of another record.
        let list: ItemList?
        let elements: [[String: FieldValue]]
    }

    init(_ record: VisitorRecord, dialect: CriteriaDialect) {
        switch record.kind {
        case .purchase: self.init(commerce: record, .purchase, dialect)
        case .cartUpdate: self.init(commerce: record, .cart, dialect)
        default: self.init(other: record, dialect)
        }
    }

    /// Members of a commerce record that are no fields: of items and details each is read by itself, and a message that the
    /// purchase is owed to is nothing that the visitor did.
    private static let setApart: Set<String> = [
        VisitorRecord.Key.items, VisitorRecord.Key.data, VisitorRecord.Key.campaign, VisitorRecord.Key.template,
    ]

    /// The record's own members count before its data fields.
    private init(commerce record: VisitorRecord, _ list: ItemList, _ dialect: CriteriaDialect) {
        var fields = record.dataFields.map(FieldValue.fields) ?? [:]
        for (key, value) in record.members where !Self.setApart.contains(key) {
            fields[key] = FieldValue(value)
        }
        let type = list == .purchase ? VisitorRecord.Kind.purchase.rawValue : VisitorRecord.Kind.customEvent.rawValue
        fields[VisitorRecord.Key.kind] = .string(type)
        if list == .cart {
            // As the service names the event of a cart; it is the first part of the fields' names.
            fields[VisitorRecord.Key.name] = .string(VisitorRecord.Kind.cartUpdate.rawValue)
        }
        let items = record.members[VisitorRecord.Key.items].flatMap { value -> Items? in
            guard case .list(let elements) = FieldValue(value) else { return nil }
            fields[dialect == .strict ? list.fieldBehindEvent : list.rawValue] = .list(elements)
            return elements.objects.map { Items(list: list, elements: $0) }
        }
        self.init(fields, isCommerce: true, items, dialect)
    }

    /// The data fields count before the record's own members, under `.iOS` even its type and name.
    private init(other record: VisitorRecord, _ dialect: CriteriaDialect) {
        var fields = FieldValue.fields(of: record.members)
        let isUser = record.kind == .userUpdate
        if let data = record.dataFields {
            fields[VisitorRecord.Key.data] = nil
            for (key, value) in data {
                let isName = key == VisitorRecord.Key.kind || key == VisitorRecord.Key.name
                // The vendor keeps a user update flat, and its type over a field of the same name.
                guard isUser ? key != VisitorRecord.Key.kind : dialect == .iOS || !isName else { continue }
                fields[key] = FieldValue(value)
            }
        }
        self.init(fields, isCommerce: false, nil, dialect)
    }

    private init(_ fields: [String: FieldValue], isCommerce: Bool, _ items: Items?, _ dialect: CriteriaDialect) {
        self.fields = fields
        self.isCommerce = isCommerce
        self.type = Self.text(fields[VisitorRecord.Key.kind])
        self.name = Self.text(fields[VisitorRecord.Key.name])
        self.isHidden = dialect == .iOS && fields["criteriaId"] != nil
        self.items = items ?? (dialect == .iOS ? Self.foreignItems(fields) : nil)
    }

    private static func text(_ value: FieldValue?) -> String? {
        if case .string(let text) = value { text } else { nil }
    }

    private static func foreignItems(_ fields: [String: FieldValue]) -> Items? {
        for list in ItemList.allCases {
            if case .list(let elements) = fields[list.rawValue] {
                return elements.objects.map { Items(list: nil, elements: $0) }
            }
        }
        return nil
    }
}
