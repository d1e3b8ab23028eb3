// SPDX-License-Identifier: Apache-2.0

extension PatternParser {
    /// Reads a class in brackets, with the position at the opening bracket.
    mutating func bracket() throws(PatternError) -> ScalarSet {
        let start = self.position
        self.position += 1
        var set = ScalarSet([], isNegated: self.takes("^"))
        while let scalar = self.current, scalar != "]" {
            let place = self.position
            if scalar == "[" { throw self.unsupported("a class inside a class", at: place) }
            if self.takes("&&") || self.takes("--") { throw self.unsupported("an operation on classes", at: place) }
            if scalar == "\\" {
                self.position += 1
                if let part = try self.property(place) {
                    set.parts.append(part)
                    continue
                }
                self.position -= 1
            }
            let first = try self.member()
            guard self.current == "-", self.position + 1 < self.scalars.count, self.scalars[self.position + 1] != "]"
            else {
                set.parts.append(.range(first...first))
                continue
            }
            self.position += 1
            if let next = self.current, next == "-" || next == "[" {
                throw self.unsupported("an operation on classes", at: place)
            }
            let last = try self.member()
            guard first <= last else { throw self.invalid("a range from more to less", at: place) }
            set.parts.append(.range(first...last))
        }
        guard self.takes("]") else { throw self.invalid("a [ without its ]", at: start) }
        guard !set.parts.isEmpty else { throw self.invalid("an empty class", at: start) }
        return set
    }

    /// Reads one scalar of a class, plain or escaped.
    private mutating func member() throws(PatternError) -> Unicode.Scalar {
        let start = self.position
        guard let scalar = self.current else { throw self.invalid("a [ without its ]", at: start) }
        self.position += 1
        return scalar == "\\" ? try self.escapedScalar(start) : scalar
    }
}
