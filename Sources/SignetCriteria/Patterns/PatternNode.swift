// SPDX-License-Identifier: Apache-2.0

/// A regular expression as a tree.
indirect enum PatternNode: Sendable {
    /// A condition between two characters.
    enum Assertion: UInt32, Sendable {
        /// `\A`, and `^` without the flag m.
        case start
        /// `^` with the flag m.
        case lineStart
        /// `\z`.
        case end
        /// `\Z`, and `$` without the flag m: at the end, or before a line end that is the last thing.
        case endOrLastLine
        /// `$` with the flag m.
        case lineEnd
        /// `\b`.
        case wordBoundary
        /// `\B`.
        case noWordBoundary
    }

    case empty
    /// One scalar; when `folds`, in any case.
    case scalar(Unicode.Scalar, folds: Bool)
    /// One scalar of a set; when `folds`, in any case.
    case set(ScalarSet, folds: Bool)
    case assertion(Assertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    /// At least and at most this many times; nil is unbounded.
    case repetition(PatternNode, Int, Int?)
}
