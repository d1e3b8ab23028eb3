// SPDX-License-Identifier: Apache-2.0

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
