// SPDX-License-Identifier: Apache-2.0

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
