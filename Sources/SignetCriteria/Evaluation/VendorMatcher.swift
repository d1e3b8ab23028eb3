// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// Matches the queries of a leaf as the vendor's checker for iOS does.
///
/// It differs from the documented meaning:
///
/// - A query about items is skipped when the record has no items and there are other queries.
/// - An object's name that is not the event's is not looked up among the fields.
/// - On the way through an array of objects, the array's siblings in the same object are missing.
/// - A dot in an event's name hides the event's fields.
/// - Nothing inside an item's field is found.
///
/// A path through an array of objects is tried with each element in place of the array; then the whole leaf must hold.
/// On the way to the array, missing steps and the array itself are skipped; the last of several arrays counts. The
/// element goes where the path first has the array's name, even at another step.
struct VendorMatcher {
    let record: PreparedRecord

    private let comparison: Comparison

    /// The maximum nesting of arrays, as queries see them.
    private static let deepest = 100

    /// The fields of the record, some of them replaced on the way through arrays.
    private struct Fields {
        let all: [ByteText: FieldValue]
        private(set) var replaced: [(name: ByteText, value: FieldValue)] = []
        /// The number of arrays on the way so far.
        private(set) var depth = 0

        init(_ all: [ByteText: FieldValue]) {
            self.all = all
        }

        subscript(name: ByteText) -> FieldValue? {
            self.replaced.first { $0.name == name }?.value ?? self.all[name]
        }

        func replacing(_ name: ByteText, by value: FieldValue) -> Fields {
            var fields = self
            fields.replaced.removeAll { $0.name == name }
            fields.replaced.append((name, value))
            fields.depth += 1
            return fields
        }
    }

    init(record: PreparedRecord, meter: WorkMeter) {
        self.record = record
        self.comparison = Comparison(dialect: .iOS, meter: meter)
    }

    func matches(_ leaf: CriteriaLeaf) throws(WorkLimitReached) -> Bool {
        let holdsForItem = try self.record.items.map { items throws(WorkLimitReached) in
            leaf.itemQueries.isEmpty ? false : try self.anyItem(of: items, satisfies: leaf.itemQueries)
        }
        if holdsForItem == false, leaf.queries.contains(where: \.namesList) { return false }
        if leaf.plainQueries.isEmpty { return holdsForItem ?? false }
        return try self.hold(leaf.plainQueries, of: leaf, in: Fields(self.record.fields))
    }

    private func anyItem(
        of items: PreparedRecord.Items,
        satisfies queries: [CriteriaQuery]
    ) throws(WorkLimitReached) -> Bool {
        for item in items.elements where try self.all(queries, hold: item, items.list) { return true }
        return false
    }

    private func all(
        _ queries: [CriteriaQuery],
        hold item: [ByteText: FieldValue],
        _ list: ItemList?
    ) throws(WorkLimitReached) -> Bool {
        for query in queries {
            try self.comparison.meter.spend()
            guard let field = query.item, list == nil || list == field.list,
                let value = item[list == nil ? query.field : field.key]
            else { return false }
            guard try self.comparison.holds(query.test, value) else { return false }
        }
        return true
    }

    /// True if all queries hold; queries along a way to an array that was already taken are not asked again.
    private func hold(
        _ queries: [CriteriaQuery],
        of leaf: CriteriaLeaf,
        in fields: Fields
    ) throws(WorkLimitReached) -> Bool {
        var gone: Set<ArraySlice<ByteText>> = []
        for query in queries where try !self.holds(query, of: leaf, in: fields, &gone) { return false }
        return true
    }

    private func holds(
        _ query: CriteriaQuery,
        of leaf: CriteriaLeaf,
        in fields: Fields,
        _ gone: inout Set<ArraySlice<ByteText>>
    ) throws(WorkLimitReached) -> Bool {
        try self.comparison.meter.spend(1 + query.path.count)
        if query.mayMeanEvent, let name = self.record.name {
            if query.field == name { return true }
            if !query.isPath { return false }
        }
        guard query.isPath else {
            guard let value = fields[query.field] else { return false }
            return try self.comparison.holds(query.test, value)
        }
        let path = self.path(of: query)
        guard let first = path.first else { return false }
        guard let (list, place) = Self.lastArray(path, fields) else {
            guard let value = Self.value(path, fields) else { return false }
            return try self.comparison.holds(query.test, value)
        }
        guard gone.insert(path[...place]).inserted else { return true }
        // Real data nests fewer arrays; only queries made to lead to each other get here, and each level takes stack.
        guard fields.depth < Self.deepest else { throw WorkLimitReached() }
        let way = path[..<(path.firstIndex(of: path[place]) ?? place)]
        // Only queries that have this name somewhere are affected; all others hold as before.
        try self.comparison.meter.spend(leaf.plainQueries.count)
        let group = leaf.plainQueries.filter { $0.field == first || $0.isPath && $0.path.contains(first) }
        for element in list.elements {
            let value = way.isEmpty ? element : self.wrapped(element, way.dropFirst() + [path[place]])
            if try self.hold(group, of: leaf, in: fields.replacing(first, by: value)) { return true }
        }
        return false
    }

    /// Wraps an element in objects that have only the way to it.
    private func wrapped(_ element: FieldValue, _ way: ArraySlice<ByteText>) -> FieldValue {
        way.reversed().reduce(element) { .object([$1: $0]) }
    }

    /// The path without the event's name, if it begins with that name.
    private func path(of query: CriteriaQuery) -> ArraySlice<ByteText> {
        self.record.isCustomEvent && query.path.first == self.record.name ? query.path.dropFirst() : query.path[...]
    }

    /// The last array of objects on the path, and the index of its step.
    private static func lastArray(_ path: ArraySlice<ByteText>, _ fields: Fields) -> (FieldList, Int)? {
        var found: (FieldList, Int)?
        /// Nil at the record itself.
        var value: FieldValue?
        for place in path.indices {
            let next: FieldValue?
            switch value {
            case nil: next = fields[path[place]]
            case .object(let inner): next = inner[path[place]]
            default: return found
            }
            guard let next else { continue }
            if case .list(let list) = next, list.kind == .objects || list.kind == .empty {
                found = (list, place)
            } else {
                value = next
            }
        }
        return found
    }

    /// The value at the end of a path; nil if a step is missing.
    private static func value(_ path: ArraySlice<ByteText>, _ fields: Fields) -> FieldValue? {
        var value = path.first.flatMap { fields[$0] }
        for step in path.dropFirst() {
            guard case .object(let inner) = value else { return nil }
            value = inner[step]
        }
        return value
    }
}
