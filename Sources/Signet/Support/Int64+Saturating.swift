// SPDX-License-Identifier: Apache-2.0

extension Int64 {
    /// Adds a number; a sum that does not fit is the greatest or the least number.
    ///
    /// Numbers of a shared row may be anything: a trap would end the process.
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = self.addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// Subtracts a number; a difference that does not fit is the greatest or the least number.
    func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = self.subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
