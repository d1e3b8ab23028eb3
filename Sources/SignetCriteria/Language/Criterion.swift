//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// One criterion: who it is, and what must have happened.
package struct Criterion: Sendable {
    /// The identifier that the service knows it by.
    package let id: String
    /// The name that the project's people gave it; empty when there is none.
    package let name: String
    /// What must hold.
    let root: CriteriaNode
    /// The leaves of its tree.
    let leaves: Range<Int>
}
