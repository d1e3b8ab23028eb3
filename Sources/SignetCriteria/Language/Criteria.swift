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
    ///   - dialect: The dialect in which it is read. Under `.strict` an unreadable criterion is left out (``skipped``),
    ///     and it is an error if none is left. Under `.iOS` an unreadable part is a condition that does not hold, as in
    ///     the vendor's checker. A document that is not JSON or exceeds the limits is an error.
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
            document = try JSONReader.read(json, limits: JSONLimits(bytes: limits.bytes, depth: depth))
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
