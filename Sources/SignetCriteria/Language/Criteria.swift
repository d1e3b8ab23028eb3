// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

/// All criteria of a project, decoded once for evaluation over many visitors.
///
/// The value is immutable. Its leaves are numbered consecutively, so that a ``CriteriaEvaluator`` can count records by
/// leaf.
package struct Criteria: Sendable {
    /// The dialect in which the criteria are read and evaluated.
    package let dialect: CriteriaDialect
    /// The criteria in the order of the document; the first one that holds is the match.
    package let criteria: [Criterion]
    /// The faults of unreadable criteria that were left out, in the order of the document; under `.strict` only.
    package let skipped: [CriteriaError]
    /// The maximum number of steps of one evaluation.
    let work: Int
    /// The leaves of all trees, in the order of the document.
    let leaves: [CriteriaLeaf]
    /// The numbers of the leaves that look at records of each type.
    let leavesOfType: [ByteText: [Int]]

    /// Decodes the criteria document as Iterable serves it.
    ///
    /// - Parameters:
    ///   - json: The document: an object with the member `criteriaSets`.
    ///   - dialect: The dialect in which it is read. Under `.strict` a criterion that is unreadable or exceeds a limit
    ///     is left out (``skipped``), and it is an error if none is left. Under `.iOS` an unreadable part is a
    ///     condition that does not hold, as in the vendor's checker. A document that is not JSON or exceeds the limits
    ///     is an error.
    ///   - limits: The limits on the document.
    /// - Throws: ``CriteriaError`` with the path of the first fault, when no part of the document is usable.
    package init(
        json: [UInt8],
        dialect: CriteriaDialect = .strict,
        limits: CriteriaLimits = CriteriaLimits()
    ) throws(CriteriaError) {
        let document: JSONValue
        do throws(JSONError) {
            // A node takes two levels, a leaf with its queries and values six, the document three.
            let depth = 2 * limits.depth + 9
            document = try JSONReader.read(
                json,
                limits: JSONLimits(bytes: limits.bytes, depth: depth, values: .max),
                faults: dialect == .strict ? .leftOut : .refused
            )
        } catch {
            throw CriteriaError(.invalidJSON, at: "$", error.description)
        }
        try self.init(document, dialect: dialect, limits: limits)
    }

    /// Decodes a parsed document.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - dialect: The dialect in which it is read.
    ///   - limits: The limits; its bytes are ignored.
    /// - Throws: ``CriteriaError`` with the path of the first fault, when no part of the document is usable.
    package init(
        _ document: JSONValue,
        dialect: CriteriaDialect = .strict,
        limits: CriteriaLimits = CriteriaLimits()
    ) throws(CriteriaError) {
        var decoder = CriteriaDecoder(dialect: dialect, limits: limits)
        self.criteria = try decoder.criteria(document)
        self.leaves = decoder.leaves
        self.skipped = decoder.skipped
        self.work = limits.work
        self.dialect = dialect
        var leavesOfType: [ByteText: [Int]] = [:]
        for (index, leaf) in decoder.leaves.enumerated() {
            leavesOfType[leaf.type, default: []].append(index)
        }
        self.leavesOfType = leavesOfType
    }
}

/// One criterion with its tree of conditions.
package struct Criterion: Sendable {
    /// The criterion's id at Iterable.
    package let id: String
    /// The criterion's name in the project; empty when there is none.
    package let name: String
    let root: CriteriaNode
    let leaves: Range<Int>
}

/// A node of a criterion's tree.
indirect enum CriteriaNode: Sendable {
    /// Holds when all of its nodes do; also without any.
    case and([CriteriaNode])
    /// Holds when any of its nodes does.
    case or([CriteriaNode])
    /// Holds when none of its nodes does.
    case not([CriteriaNode])
    /// A leaf, by its number in ``Criteria/leaves``.
    case leaf(Int)
    /// A part that the dialect cannot read, with the reason.
    case never(String)
}

extension Criteria {
    /// Evaluates the criteria over a list of records as it is.
    ///
    /// The number of records is not limited, and user updates are not merged.
    ///
    /// - Parameter records: The visitor's records, oldest first; the user update last, if there is one.
    /// - Returns: The result of each criterion, with its reasons.
    /// - Throws: ``CriteriaError`` with the path of the leaf at which the work limit was reached.
    package func evaluate(_ records: [IterableRecord]) throws(CriteriaError) -> CriteriaReport {
        var evaluator = CriteriaEvaluator(self, threshold: .max)
        evaluator.append(records)
        if let fault = evaluator.fault { throw fault }
        return evaluator.report
    }
}

/// Limits on a criteria document and on the work of an evaluation.
package struct CriteriaLimits: Sendable, Hashable {
    /// The maximum length of a document, in bytes.
    package var bytes: Int
    /// The maximum number of criteria in a document.
    package var criteria: Int
    /// The maximum nesting of nodes, leaves included; at most 200.
    package var depth: Int
    /// The maximum number of nodes in a document, leaves included.
    package var nodes: Int
    /// The maximum number of queries in a document.
    package var queries: Int
    /// The maximum number of entries in one list of values.
    package var values: Int
    /// The maximum number of steps of one evaluation; a leaf takes at most a tenth of it on one record.
    package var work: Int

    /// Makes limits.
    package init(
        bytes: Int = 1 << 20,
        criteria: Int = 1000,
        depth: Int = 32,
        nodes: Int = 10_000,
        queries: Int = 20_000,
        values: Int = 10_000,
        work: Int = CriteriaCheck.workLimit
    ) {
        self.bytes = bytes
        self.criteria = criteria
        self.depth = min(depth, 200)
        self.nodes = nodes
        self.queries = queries
        self.values = values
        self.work = work
    }
}
