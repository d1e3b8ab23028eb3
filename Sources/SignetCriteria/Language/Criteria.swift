//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetTransport

/// All criteria of a project, decoded once and ready to be asked about many visitors.
///
/// The value is immutable; its leaves are numbered through, so that a ``CriteriaEvaluator`` can count what each has seen.
package struct Criteria: Sendable {
    /// How they were read, and are evaluated.
    package let dialect: CriteriaDialect
    /// In the order of the document: the first one that holds is the match.
    package let criteria: [Criterion]
    /// Why each criterion was left out that cannot be read, in the order of the document; under `.strict` only.
    package let skipped: [CriteriaError]
    /// The most steps of work of one evaluation.
    let work: Int
    /// The leaves of all trees, in the order of the document.
    let leaves: [CriteriaLeaf]
    /// Which leaves look at records of a type.
    let leavesOfType: [ByteText: [Int]]

    /// Decodes the document that the service gives out.
    ///
    /// - Parameters:
    ///   - json: The document: an object with the member `criteriaSets`.
    ///   - dialect: How to read it. Under `.strict` a criterion that makes no sense is left out (``skipped``), and where
    ///     none is left it is an error; under `.iOS` what makes no sense is a condition that does not hold, as in the
    ///     vendor's checker. A document without JSON or beyond the limits is an error.
    ///   - limits: How much to take.
    /// - Throws: ``CriteriaError`` with the path of the first fault, when nothing of it can be used.
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

    /// Decodes a document that was read already.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - dialect: How to read it.
    ///   - limits: How much to take; its bytes are not looked at.
    /// - Throws: ``CriteriaError`` with the path of the first fault, when nothing of it can be used.
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
