// SPDX-License-Identifier: Apache-2.0

/// A regular expression as a tree.
indirect enum PatternNode: Sendable {
    case empty
    /// One scalar; when `folds`, in any case.
    case scalar(Unicode.Scalar, folds: Bool)
    /// One scalar of a set.
    case set(ScalarSet)
    case assertion(Assertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    /// At least and at most this many times; nil is unbounded.
    case repetition(PatternNode, Int, Int?)

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

        /// True if the assertion holds before the scalar at a place, or after the last scalar.
        func holds(in text: [Unicode.Scalar], at place: Int) -> Bool {
            let count = text.count
            switch self {
            case .start: return place == 0
            case .end: return place == count
            case .lineStart:
                guard place > 0 else { return true }
                // Not at the end, but also between a carriage return and its line feed, as in ICU.
                return place < count && ScalarProperty.isLineEnd(text[place - 1])
            case .lineEnd:
                return place == count || ScalarProperty.isLineEnd(text[place]) && !Self.isInsideLineEnd(text, place)
            case .endOrLastLine:
                if place == count { return true }
                if place == count - 2 { return text[place] == "\r" && text[place + 1] == "\n" }
                return place == count - 1 && ScalarProperty.isLineEnd(text[place])
                    && !Self.isInsideLineEnd(text, place)
            case .wordBoundary: return Self.isWordBoundary(text, place)
            case .noWordBoundary: return !Self.isWordBoundary(text, place)
            }
        }

        private static func isInsideLineEnd(_ text: [Unicode.Scalar], _ place: Int) -> Bool {
            place > 0 && place < text.count && text[place - 1] == "\r" && text[place] == "\n"
        }

        private static func isWordBoundary(_ text: [Unicode.Scalar], _ place: Int) -> Bool {
            let before = place > 0 && ScalarProperty.isWord(text[place - 1])
            let behind = place < text.count && ScalarProperty.isWord(text[place])
            return before != behind
        }
    }
}
