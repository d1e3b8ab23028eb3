// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// Decodes criteria from JSON.
///
/// Under `.strict` a criterion with a fault is left out and the others count, so that one unsupported regular
/// expression does not disable all activations of a project. Under `.iOS` a fault becomes a condition that does not
/// hold.
struct CriteriaDecoder {
    let dialect: CriteriaDialect
    let limits: CriteriaLimits
    /// The leaves decoded so far, in the order of the document.
    var leaves: [CriteriaLeaf] = []
    /// The faults of the criteria that were left out.
    private(set) var skipped: [CriteriaError] = []

    var nodeCount = 0
    var queryCount = 0

    init(dialect: CriteriaDialect, limits: CriteriaLimits) {
        self.dialect = dialect
        self.limits = limits
    }

    /// Decodes the criteria of a document.
    mutating func criteria(_ document: JSONValue) throws(CriteriaError) -> [Criterion] {
        let path = "$.criteriaSets"
        guard let sets = document.object?["criteriaSets"]?.array else {
            guard self.dialect == .strict else { return [] }
            guard let object = document.object else { throw Self.wrongType("$", "an object") }
            throw object["criteriaSets"] == nil ? Self.missing(path, "an array") : Self.wrongType(path, "an array")
        }
        if self.dialect == .iOS { try self.check(sets.count, self.limits.criteria, path, "criteria") }
        var criteria: [Criterion] = []
        for (index, value) in sets.prefix(self.limits.criteria).enumerated() {
            let (count, nodes, queries) = (self.leaves.count, self.nodeCount, self.queryCount)
            do throws(CriteriaError) {
                if let criterion = try self.criterion(value, "\(path)[\(index)]") {
                    criteria.append(criterion)
                }
            } catch {
                guard self.dialect == .strict || error.code != .limitExceeded else { throw error }
                self.leaves.removeLast(self.leaves.count - count)
                // One that is left out takes nothing from those after it.
                (self.nodeCount, self.queryCount) = (nodes, queries)
                self.skipped.append(error)
            }
        }
        if sets.count > self.limits.criteria {
            let place = "\(path)[\(self.limits.criteria)]"
            self.skipped.append(CriteriaError(.limitExceeded, at: place, "more than \(self.limits.criteria) criteria"))
        }
        // A document without a readable criterion is refused, so the last good one stays in use.
        if criteria.isEmpty, let fault = self.skipped.first { throw fault }
        return criteria
    }

    private mutating func criterion(_ value: JSONValue, _ path: String) throws(CriteriaError) -> Criterion? {
        guard let object = value.object else {
            guard self.dialect == .strict else { return nil }
            throw Self.wrongType(path, "an object")
        }
        guard let id = try self.identifier(object, path) else { return nil }
        let first = self.leaves.count
        let root: CriteriaNode
        if let query = object["searchQuery"] {
            root = try self.node(query, path + ".searchQuery", depth: 1, underNot: false)
        } else {
            root = try self.fault(Self.missing(path + ".searchQuery", "a node"))
        }
        let leaves = first..<self.leaves.count
        return Criterion(id: id, name: object["name"]?.string ?? "", root: root, leaves: leaves)
    }

    /// Reads the id; under `.iOS` only text is an id, and a criterion with a number is ignored.
    private func identifier(_ object: JSONObject, _ path: String) throws(CriteriaError) -> String? {
        let path = path + ".criteriaId"
        switch (object["criteriaId"], self.dialect) {
        case (.string(let text), _): return text
        case (.number(let number), .strict): return number.text
        case (_, .iOS): return nil
        case (nil, .strict): throw Self.missing(path, "text")
        case (_, .strict): throw Self.wrongType(path, "text")
        }
    }

    func check(_ count: Int, _ limit: Int, _ path: String, _ what: String) throws(CriteriaError) {
        guard count <= limit else {
            throw CriteriaError(.limitExceeded, at: path, "more than \(limit) \(what)")
        }
    }

    /// Throws under `.strict`; returns a node that never holds under `.iOS`.
    func fault(_ error: CriteriaError) throws(CriteriaError) -> CriteriaNode {
        guard self.dialect == .iOS else { throw error }
        return .never(error.description)
    }

    static func missing(_ path: String, _ what: String) -> CriteriaError {
        CriteriaError(.missingMember, at: path, "is missing; it must be \(what)")
    }

    static func wrongType(_ path: String, _ what: String) -> CriteriaError {
        CriteriaError(.wrongType, at: path, "is not \(what)")
    }
}
