// SPDX-License-Identifier: Apache-2.0

/// The search for what a service does not take, among several pieces of content that it has refused together.
///
/// The parts go one after the other, the oldest first. A refusal is often due to one piece, and then each halving
/// brings half of the rest through. It may as well be due to what all have in common: two pieces that were refused
/// alone, with none accepted, say so.
package struct RefusalSearch: Sendable, Hashable {
    /// The consequence of the refusal of a part.
    package enum Step: Sendable, Hashable {
        /// Half of it may be taken.
        case halve
        /// It is given up as it is.
        case giveUp
    }

    /// The pieces that were refused alone after which none is looked for, unless a part was accepted.
    package static let enough = 2

    private var halvings: Int
    private var refusedAlone = 0
    private var hasAccepted = false

    /// Begins a search.
    ///
    /// - Parameter count: The number of pieces that were refused together.
    package init(among count: Int) {
        // One bad piece takes the logarithm, and each further one less.
        self.halvings = 4 * (Int.bitWidth - max(0, count - 1).leadingZeroBitCount)
    }

    /// True if the service refuses more than single pieces, as far as anyone can tell.
    package var isFruitless: Bool { !self.hasAccepted && self.refusedAlone >= Self.enough }

    /// Judges the refusal of a part.
    ///
    /// - Parameter count: The number of its pieces.
    /// - Returns: The consequence.
    package mutating func refuse(_ count: Int) -> Step {
        guard count > 1 else {
            self.refusedAlone += 1
            return .giveUp
        }
        guard self.halvings > 0, !self.isFruitless else { return .giveUp }
        self.halvings -= 1
        return .halve
    }

    /// Records that a part was accepted.
    package mutating func accept() {
        self.hasAccepted = true
    }
}
