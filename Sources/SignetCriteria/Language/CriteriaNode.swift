// SPDX-License-Identifier: Apache-2.0

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
