// SPDX-License-Identifier: Apache-2.0

import SignetTransport

extension CriteriaDecoder {
    /// Decodes a node of the tree, with everything below it.
    mutating func node(
        _ value: JSONValue,
        _ path: String,
        depth: Int,
        underNot: Bool
    ) throws(CriteriaError) -> CriteriaNode {
        self.nodeCount += 1
        try self.check(self.nodeCount, self.limits.nodes, path, "nodes")
        try self.check(depth, self.limits.depth, path, "nodes inside each other")
        guard let object = value.object else { return try self.fault(Self.wrongType(path, "an object")) }
        if object["searchQueries"] != nil, object["combinator"] != nil || object["searchCombo"] == nil {
            return try self.inner(object, path, depth)
        }
        return try self.leaf(object, path, isMarked: underNot && self.dialect == .iOS)
    }

    private mutating func inner(
        _ object: JSONObject,
        _ path: String,
        _ depth: Int
    ) throws(CriteriaError) -> CriteriaNode {
        guard let name = object["combinator"]?.string.map({ ByteText($0) }) else {
            return try self.fault(Self.missing(path + ".combinator", "And, Or or Not"))
        }
        guard let queries = object["searchQueries"]?.array else {
            return try self.fault(Self.wrongType(path + ".searchQueries", "an array"))
        }
        // The vendor's checker takes the whole list or none of it.
        if self.dialect == .iOS, let other = queries.firstIndex(where: { $0.object == nil }) {
            return try self.fault(Self.wrongType("\(path).searchQueries[\(other)]", "an object"))
        }
        var nodes: [CriteriaNode] = []
        for (index, query) in queries.enumerated() {
            let place = "\(path).searchQueries[\(index)]"
            nodes.append(try self.node(query, place, depth: depth + 1, underNot: name == "Not"))
        }
        switch name {
        case "And": return .and(nodes)
        case "Or": return .or(nodes)
        case "Not": return .not(nodes)
        default:
            return try self.fault(CriteriaError(.unknownName, at: path + ".combinator", "is not And, Or or Not"))
        }
    }

    private mutating func leaf(
        _ object: JSONObject,
        _ path: String,
        isMarked: Bool
    ) throws(CriteriaError) -> CriteriaNode {
        guard let type = object["dataType"]?.string else {
            let place = path + ".dataType"
            return try self.fault(
                object["dataType"] == nil ? Self.missing(place, "the type of a leaf") : Self.wrongType(place, "text")
            )
        }
        let place = path + ".searchCombo"
        guard let combo = object["searchCombo"] else { return try self.fault(Self.missing(place, "an object")) }
        guard let list = combo.object?["searchQueries"]?.array else {
            return try self.fault(Self.wrongType(place, "an object with an array searchQueries"))
        }
        let combinator = try self.combinator(combo.object?["combinator"], place + ".combinator")
        var queries: [CriteriaQuery] = []
        for (index, value) in list.enumerated() {
            let place = "\(place).searchQueries[\(index)]"
            self.queryCount += 1
            try self.check(self.queryCount, self.limits.queries, place, "queries")
            if let query = try self.query(value, place) { queries.append(query) }
        }
        let minimum = try self.minimum(object["minMatch"], path + ".minMatch")
        self.leaves.append(
            CriteriaLeaf(
                type: ByteText(type),
                combinator: combinator,
                queries: queries,
                quota: isMarked ? .all(atLeast: minimum) : .atLeast(minimum),
                path: path
            )
        )
        return .leaf(self.leaves.count - 1)
    }

    /// Reads the combinator; under `.iOS` the queries of a leaf are always joined by And.
    private func combinator(_ value: JSONValue?, _ path: String) throws(CriteriaError) -> CriteriaLeaf.Combinator {
        guard self.dialect == .strict, let value else { return .all }
        guard let name = value.string else { throw Self.wrongType(path, "text") }
        switch ByteText(name) {
        case "And": return .all
        case "Or": return .any
        case "Not": return .none
        default: throw CriteriaError(.unknownName, at: path, "is not And, Or or Not")
        }
    }

    /// The number of records that must match; a value below 1 counts as 1.
    private func minimum(_ value: JSONValue?, _ path: String) throws(CriteriaError) -> Int {
        guard let value, !value.isNull else { return 1 }
        // `3.0` is a whole number, as JSON readers that ask for an integer take it.
        if let number = value.number, let count = number.int64 ?? number.double.flatMap({ Int64(exactly: $0) }) {
            return max(1, Int(count))
        }
        guard self.dialect == .iOS else { throw Self.wrongType(path, "a whole number") }
        return 1
    }
}
