//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension Criteria {
    /// Evaluates the criteria over a list of records as it lies, without a limit of their number and without merging user updates.
    ///
    /// - Parameter records: What a visitor did, oldest first; the user update last, if there is one.
    /// - Returns: What became of each criterion, and why.
    /// - Throws: ``CriteriaError`` with the path of the leaf at which the work became too much.
    package func evaluate(_ records: [IterableRecord]) throws(CriteriaError) -> CriteriaReport {
        var evaluator = CriteriaEvaluator(self, threshold: .max)
        evaluator.append(records)
        if let fault = evaluator.fault { throw fault }
        return evaluator.report
    }
}
