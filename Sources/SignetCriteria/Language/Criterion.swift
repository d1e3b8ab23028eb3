// SPDX-License-Identifier: Apache-2.0

/// One criterion with its tree of conditions.
package struct Criterion: Sendable {
    /// The criterion's id at Iterable.
    package let id: String
    /// The criterion's name in the project; empty when there is none.
    package let name: String
    let root: CriteriaNode
    let leaves: Range<Int>
}
