//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Whether a record satisfies the queries of a leaf.
struct LeafMatcher {
    let dialect: CriteriaDialect

    func matches(_ record: PreparedRecord, _ leaf: CriteriaLeaf) -> Bool {
        switch self.dialect {
        case .strict: StrictMatcher(record: record).matches(leaf)
        case .iOS: VendorMatcher(record: record).matches(leaf)
        }
    }
}
