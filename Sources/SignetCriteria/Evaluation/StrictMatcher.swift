//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The queries of a leaf as they are documented.
///
/// Queries about items must hold in one item, and queries through an array of objects in one of its elements. A field that
/// is not there passes no test.
struct StrictMatcher {
    let record: PreparedRecord

    /// A query on its way through the fields.
    private struct Walk {
        let path: [String]
        var position: Int
        let query: CriteriaQuery
    }

    private let comparison = Comparison(dialect: .strict)

    init(record: PreparedRecord) {
        self.record = record
    }

    func matches(_ leaf: CriteriaLeaf) -> Bool {
        switch leaf.combinator {
        case .all:
            if !leaf.itemQueries.isEmpty, !self.itemsHold(leaf.itemQueries) { return false }
            guard leaf.walksPaths else { return leaf.plainQueries.allSatisfy(self.isTop) }
            return self.plainHold(leaf.plainQueries)
        case .any: return leaf.queries.contains(where: self.holdsAlone)
        case .none: return !leaf.queries.contains(where: self.holdsAlone)
        }
    }

    private func holdsAlone(_ query: CriteriaQuery) -> Bool {
        query.item == nil ? self.plainHold([query]) : self.itemsHold([query])
    }

    private func itemsHold(_ queries: [CriteriaQuery]) -> Bool {
        guard let items = self.record.items else { return false }
        return items.elements.contains { item in
            var walks: [Walk] = []
            for query in queries {
                guard let field = query.item, field.list == items.list else { return false }
                if let value = item[field.key] {
                    guard self.comparison.holds(query.test, value) else { return false }
                } else {
                    walks.append(Walk(path: field.path, position: 0, query: query))
                }
            }
            return self.hold(walks, in: item)
        }
    }

    private func isTop(_ query: CriteriaQuery) -> Bool {
        if self.isEvent(query) { return true }
        guard let value = self.record.fields[query.field] else { return false }
        return self.comparison.holds(query.test, value)
    }

    private func plainHold(_ queries: [CriteriaQuery]) -> Bool {
        var walks: [Walk] = []
        for query in queries {
            if query.path.count == 1 {
                guard self.isTop(query) else { return false }
            } else if !self.isEvent(query) {
                walks.append(Walk(path: query.path, position: self.start(of: query), query: query))
            }
        }
        return self.hold(walks, in: self.record.fields)
    }

    /// The event itself is asked for by its name.
    private func isEvent(_ query: CriteriaQuery) -> Bool {
        query.mayMeanEvent && self.record.name == query.field
    }

    /// Behind the event's name, which may have dots itself, when the field begins with it.
    private func start(of query: CriteriaQuery) -> Int {
        guard self.record.type == VisitorRecord.Kind.customEvent.rawValue, let name = self.record.name,
            query.field.utf8.count > name.utf8.count + 1, query.field.hasPrefix(name + ".")
        else { return 0 }
        return name.utf8.count { $0 == UInt8(ascii: ".") } + 1
    }

    /// Walks all queries through the fields; those that meet at an array of objects go on together in each element.
    private func hold(_ walks: [Walk], in fields: [String: FieldValue]) -> Bool {
        var gathered: [(array: [String], elements: [[String: FieldValue]], walks: [Walk])] = []
        for walk in walks {
            var walk = walk
            let start = walk.position
            var current = fields
            walking: while true {
                guard let value = current[walk.path[walk.position]] else { return false }
                walk.position += 1
                if walk.position == walk.path.count {
                    guard self.comparison.holds(walk.query.test, value) else { return false }
                    break walking
                }
                switch value {
                case .object(let inner): current = inner
                case .list(let list):
                    guard let elements = list.objects else { return false }
                    let array = Array(walk.path[start..<walk.position])
                    if let index = gathered.firstIndex(where: { $0.array == array }) {
                        gathered[index].walks.append(walk)
                    } else {
                        gathered.append((array, elements, [walk]))
                    }
                    break walking
                case .null, .bool, .integer, .double, .string: return false
                }
            }
        }
        return gathered.allSatisfy { array in
            array.elements.contains { self.hold(array.walks, in: $0) }
        }
    }
}
