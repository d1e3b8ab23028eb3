//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The queries of a leaf as the vendor's checker for iOS takes them.
///
/// What differs from the documented meaning: a query about items is passed over when the record has no items and there are
/// other queries; an object's name that is not the event's is not looked for among the fields; on the way through an array
/// of objects its siblings in the same object are gone; a dot in an event's name hides its fields; nothing inside an item's
/// field is found.
struct VendorMatcher {
    let record: PreparedRecord

    private let comparison = Comparison(dialect: .iOS)

    /// Where a path leads.
    private enum End {
        case value(FieldValue)
        /// To an array of objects at this position of the path.
        case array(FieldList, Int)
        case nothing
    }

    init(record: PreparedRecord) {
        self.record = record
    }

    func matches(_ leaf: CriteriaLeaf) -> Bool {
        var itemHolds = false
        if let items = self.record.items {
            itemHolds = !leaf.itemQueries.isEmpty && self.anyItem(of: items, satisfies: leaf.itemQueries)
            if !itemHolds, leaf.queries.contains(where: \.namesList) { return false }
        }
        if leaf.plainQueries.isEmpty { return itemHolds }
        var met: Set<[String]> = []
        return leaf.plainQueries.allSatisfy { self.holds($0, leaf, &met) }
    }

    private func anyItem(of items: PreparedRecord.Items, satisfies queries: [CriteriaQuery]) -> Bool {
        items.elements.contains { item in
            queries.allSatisfy { query in
                guard let field = query.item, items.list == nil || items.list == field.list,
                    let value = item[items.list == nil ? query.field : field.key]
                else { return false }
                return self.comparison.holds(query.test, value)
            }
        }
    }

    // Of the ways to arrays that were met already, all that is asked of them holds.
    private func holds(_ query: CriteriaQuery, _ leaf: CriteriaLeaf, _ met: inout Set<[String]>) -> Bool {
        if query.mayMeanEvent, let name = self.record.name {
            if query.field == name { return true }
            if query.path.count == 1 { return false }
        }
        guard query.path.count > 1 else {
            return self.record.fields[query.field].map { self.comparison.holds(query.test, $0) } ?? false
        }
        let start = self.start(of: query)
        guard let value = self.record.fields[query.path[start]] else { return false }
        switch Self.walk(query.path, from: start, at: value) {
        case .nothing: return false
        case .value(let value): return self.comparison.holds(query.test, value)
        case .array(let list, let position):
            // The whole leaf must hold with the array replaced by one element. Only queries below the same first field can
            // tell the difference, and each would ask the same.
            guard met.insert(Array(query.path[start...position])).inserted else { return true }
            let group = leaf.plainQueries.filter { $0.path[self.start(of: $0)] == query.path[start] }
            return Self.anyElement(of: list, query.path, start, position) { self.hold(group, in: $0) }
        }
    }

    /// Whether queries that begin with one first field hold with this value of it.
    private func hold(_ group: [CriteriaQuery], in value: FieldValue) -> Bool {
        var array: (list: FieldList, query: CriteriaQuery, start: Int, position: Int)?
        for query in group {
            if query.mayMeanEvent, let name = self.record.name {
                if query.field == name { continue }
                if query.path.count == 1 { return false }
            }
            guard query.path.count > 1 else {
                guard self.comparison.holds(query.test, value) else { return false }
                continue
            }
            let start = self.start(of: query)
            switch Self.walk(query.path, from: start, at: value) {
            case .nothing: return false
            case .value(let value):
                guard self.comparison.holds(query.test, value) else { return false }
            case .array(let list, let position):
                // All that meet an array must meet the same one: with it replaced by an element, others are gone.
                array = array ?? (list, query, start, position)
            }
        }
        guard let array else { return true }
        return Self.anyElement(of: array.list, array.query.path, array.start, array.position) {
            self.hold(group, in: $0)
        }
    }

    /// The position behind the event's name when the field begins with it.
    private func start(of query: CriteriaQuery) -> Int {
        let isEvents =
            query.path.count > 1 && self.record.type == VisitorRecord.Kind.customEvent.rawValue
            && query.path[0] == self.record.name
        return isEvents ? 1 : 0
    }

    private static func walk(_ path: [String], from start: Int, at value: FieldValue) -> End {
        var value = value
        for position in start..<path.count {
            if position > start {
                guard case .object(let fields) = value, let next = fields[path[position]] else { return .nothing }
                value = next
            }
            if case .list(let list) = value, list.kind == .objects || list.kind == .empty {
                return .array(list, position)
            }
        }
        return .value(value)
    }

    /// Puts each element into objects that have nothing but the way to it.
    private static func anyElement(
        of list: FieldList,
        _ path: [String],
        _ start: Int,
        _ position: Int,
        _ holds: (FieldValue) -> Bool
    ) -> Bool {
        list.elements.contains { element in
            holds(path[start..<position + 1].dropFirst().reversed().reduce(element) { .object([$1: $0]) })
        }
    }
}
