// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// Matches the queries of a leaf as they are documented.
///
/// Queries about items must hold in one item, and queries through an array of objects in one of its elements. A missing
/// field passes no test. In a record without a list of items, a query about items reads the field of that whole name.
struct StrictMatcher {
    let record: PreparedRecord

    /// A query part of the way through the fields.
    private struct Walk {
        let path: [ByteText]
        var position: Int
        let query: CriteriaQuery
    }

    /// The queries that meet at an array of objects.
    private struct Meeting {
        let elements: [[ByteText: FieldValue]]
        var walks: [Walk]
    }

    private let comparison: Comparison

    init(record: PreparedRecord, meter: WorkMeter) {
        self.record = record
        self.comparison = Comparison(dialect: .strict, meter: meter)
    }

    func matches(_ leaf: CriteriaLeaf) throws(WorkLimitReached) -> Bool {
        switch leaf.combinator {
        case .all:
            if !leaf.itemQueries.isEmpty, try !self.itemsHold(leaf.itemQueries) { return false }
            if leaf.plainQueries.contains(where: \.isPath) { return try self.plainHold(leaf.plainQueries) }
            for query in leaf.plainQueries where try !self.isTop(query) { return false }
            return true
        case .any: return try self.anyHolds(leaf.queries)
        case .none: return try !self.anyHolds(leaf.queries)
        }
    }

    private func anyHolds(_ queries: [CriteriaQuery]) throws(WorkLimitReached) -> Bool {
        for query in queries where try query.item == nil ? self.plainHold([query]) : self.itemsHold([query]) {
            return true
        }
        return false
    }

    private func itemsHold(_ queries: [CriteriaQuery]) throws(WorkLimitReached) -> Bool {
        guard let items = self.record.items else {
            for query in queries where try !self.isTop(query) { return false }
            return true
        }
        for item in items.elements where try self.hold(queries, in: item, of: items.list) { return true }
        return false
    }

    private func hold(
        _ queries: [CriteriaQuery],
        in item: [ByteText: FieldValue],
        of list: ItemList?
    ) throws(WorkLimitReached) -> Bool {
        var walks: [Walk] = []
        for query in queries {
            try self.comparison.meter.spend()
            guard let field = query.item, field.list == list else { return false }
            if let value = item[field.key] {
                guard try self.comparison.holds(query.test, value) else { return false }
            } else {
                walks.append(Walk(path: field.path, position: 0, query: query))
            }
        }
        return try self.hold(walks, in: item)
    }

    private func isTop(_ query: CriteriaQuery) throws(WorkLimitReached) -> Bool {
        if self.isEvent(query) { return true }
        guard let value = self.record.fields[query.field] else { return false }
        return try self.comparison.holds(query.test, value)
    }

    private func plainHold(_ queries: [CriteriaQuery]) throws(WorkLimitReached) -> Bool {
        var walks: [Walk] = []
        for query in queries {
            try self.comparison.meter.spend()
            if !query.isPath {
                guard try self.isTop(query) else { return false }
            } else if !self.isEvent(query) {
                walks.append(Walk(path: query.path, position: self.start(of: query), query: query))
            }
        }
        return try self.hold(walks, in: self.record.fields)
    }

    /// True if the query asks for the event itself by its name.
    private func isEvent(_ query: CriteriaQuery) -> Bool {
        query.mayMeanEvent && self.record.name == query.field
    }

    /// The first step after the event's name, which may have dots itself, if the field begins with it.
    private func start(of query: CriteriaQuery) -> Int {
        guard self.record.isCustomEvent, let name = self.record.name?.text,
            query.field.text.utf8.count > name.utf8.count + 1, query.field.begins(with: name + ".")
        else { return 0 }
        return name.utf8.count { $0 == UInt8(ascii: ".") } + 1
    }

    /// Walks all queries through the fields; queries that meet at an array of objects continue together in each
    /// element.
    private func hold(_ walks: [Walk], in fields: [ByteText: FieldValue]) throws(WorkLimitReached) -> Bool {
        var meetings: [Meeting] = []
        var places: [ArraySlice<ByteText>: Int] = [:]
        for walk in walks {
            var walk = walk
            let start = walk.position
            var current = fields
            walking: while true {
                try self.comparison.meter.spend()
                guard let value = current[walk.path[walk.position]] else { return false }
                walk.position += 1
                if walk.position == walk.path.count {
                    guard try self.comparison.holds(walk.query.test, value) else { return false }
                    break walking
                }
                switch value {
                case .object(let inner): current = inner
                case .list(let list):
                    guard let elements = list.objects else { return false }
                    let way = walk.path[start..<walk.position]
                    if let place = places[way] {
                        meetings[place].walks.append(walk)
                    } else {
                        places[way] = meetings.count
                        meetings.append(Meeting(elements: elements, walks: [walk]))
                    }
                    break walking
                case .null, .bool, .integer, .double, .string: return false
                }
            }
        }
        for meeting in meetings where try !self.anyElement(of: meeting) { return false }
        return true
    }

    private func anyElement(of meeting: Meeting) throws(WorkLimitReached) -> Bool {
        for element in meeting.elements where try self.hold(meeting.walks, in: element) { return true }
        return false
    }
}

/// Decides if a record satisfies the queries of a leaf.
struct LeafMatcher {
    let dialect: CriteriaDialect
    let meter: WorkMeter

    func matches(_ record: PreparedRecord, _ leaf: CriteriaLeaf) throws(WorkLimitReached) -> Bool {
        try self.meter.spend()
        switch self.dialect {
        case .strict: return try StrictMatcher(record: record, meter: self.meter).matches(leaf)
        case .iOS: return try VendorMatcher(record: record, meter: self.meter).matches(leaf)
        }
    }
}
