// SPDX-License-Identifier: Apache-2.0

extension PatternParser {
    /// Returns the atom with the repetition after it, if there is one.
    mutating func repeated(_ atom: PatternNode) throws(PatternError) -> PatternNode {
        let start = self.position
        let least: Int
        var most: Int?
        if self.takes("*") {
            least = 0
        } else if self.takes("+") {
            least = 1
        } else if self.takes("?") {
            (least, most) = (0, 1)
        } else if self.takes("{") {
            (least, most) = try self.bounds(start)
        } else {
            return atom
        }
        // Greedy and lazy repetitions match the same texts.
        if !self.takes("?"), self.takes("+") { throw self.unsupported("possessive repetition", at: start) }
        if let scalar = self.current, scalar == "*" || scalar == "+" || scalar == "?" || scalar == "{" {
            throw self.invalid("a repetition of a repetition")
        }
        return .repetition(atom, least, most)
    }

    /// Reads the bounds after `{`, up to the `}`.
    private mutating func bounds(_ start: Int) throws(PatternError) -> (Int, Int?) {
        guard let least = try self.count(start) else { throw self.invalid("a { without a number", at: start) }
        var most: Int? = least
        if self.takes(",") {
            most = try self.count(start)
        }
        guard self.takes("}") else { throw self.invalid("a { without its }", at: start) }
        guard most.map({ $0 >= least }) ?? true else { throw self.invalid("a repetition from more to less", at: start) }
        return (least, most)
    }

    private mutating func count(_ start: Int) throws(PatternError) -> Int? {
        var number: Int?
        while let scalar = self.current, ("0"..."9").contains(scalar) {
            number = min(1_000_000, (number ?? 0) * 10 + Int(scalar.value - 0x30))
            self.position += 1
        }
        guard number ?? 0 <= Self.countLimit else {
            throw self.unsupported("more than \(Self.countLimit) repetitions", at: start)
        }
        return number
    }
}
