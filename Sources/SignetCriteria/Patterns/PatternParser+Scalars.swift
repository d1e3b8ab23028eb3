// SPDX-License-Identifier: Apache-2.0

extension PatternParser {
    /// Reads a class in brackets, with the position at the opening bracket.
    mutating func bracket() throws(PatternError) -> ScalarSet {
        let start = self.position
        self.position += 1
        let isNegated = self.takes("^")
        var parts: [ScalarSet.Part] = []
        while let scalar = self.current, scalar != "]" {
            let place = self.position
            if scalar == "[" { throw self.unsupported("a class inside a class", at: place) }
            if self.takes("&&") || self.takes("--") { throw self.unsupported("an operation on classes", at: place) }
            if scalar == "\\" {
                self.position += 1
                if let part = try self.property(place) {
                    parts.append(part)
                    continue
                }
                self.position -= 1
            }
            let first = try self.member()
            guard self.current == "-", self.position + 1 < self.scalars.count, self.scalars[self.position + 1] != "]"
            else {
                parts.append(.range(first...first))
                continue
            }
            self.position += 1
            if let next = self.current, next == "-" || next == "[" {
                throw self.unsupported("an operation on classes", at: place)
            }
            let last = try self.member()
            guard first <= last else { throw self.invalid("a range from more to less", at: place) }
            parts.append(.range(first...last))
        }
        guard self.takes("]") else { throw self.invalid("a [ without its ]", at: start) }
        guard !parts.isEmpty else { throw self.invalid("an empty class", at: start) }
        return ScalarSet(parts, self.setModes.union(isNegated ? .negated : []))
    }

    private var setModes: ScalarSet.Modes { self.flags.contains(.folds) ? .folds : [] }

    /// Reads one scalar of a class, plain or escaped.
    private mutating func member() throws(PatternError) -> Unicode.Scalar {
        let start = self.position
        guard let scalar = self.current else { throw self.invalid("a [ without its ]", at: start) }
        self.position += 1
        return scalar == "\\" ? try self.escapedScalar(start) : scalar
    }

    mutating func escape() throws(PatternError) -> PatternNode {
        let start = self.position
        self.position += 1
        guard let scalar = self.current else { throw self.invalid("a \\ at the end", at: start) }
        if let assertion = Self.assertion(scalar) {
            self.position += 1
            return .assertion(assertion)
        }
        if let part = try self.property(start) {
            return .set(ScalarSet([part], self.setModes))
        }
        return .scalar(self.folded(try self.escapedScalar(start)), folds: self.flags.contains(.folds))
    }

    private static func assertion(_ scalar: Unicode.Scalar) -> PatternNode.Assertion? {
        switch scalar {
        case "A": .start
        case "z": .end
        case "Z": .endOrLastLine
        case "b": .wordBoundary
        case "B": .noWordBoundary
        default: nil
        }
    }

    /// Reads a class of scalars after a backslash, with the position at its letter; nil when there is none.
    private mutating func property(_ start: Int) throws(PatternError) -> ScalarSet.Part? {
        guard let letter = self.current else { return nil }
        let isNegated = ("A"..."Z").contains(letter)
        let property: ScalarProperty
        switch ScalarCase.lower(letter) {
        case "d": property = .digit
        case "s": property = self.space
        case "w": property = .word
        case "h": property = .horizontalSpace
        case "v": property = .lineEnd
        case "p": return try self.category(start, isNegated: isNegated)
        default: return nil
        }
        self.position += 1
        return .property(property, isNegated: isNegated)
    }

    private mutating func category(_ start: Int, isNegated: Bool) throws(PatternError) -> ScalarSet.Part {
        self.position += 1
        guard self.takes("{") else { throw self.invalid("a property without its {", at: start) }
        let isNegated = self.takes("^") != isNegated
        var name = ""
        while let scalar = self.current, scalar != "}" {
            name.unicodeScalars.append(scalar)
            self.position += 1
        }
        guard self.takes("}") else { throw self.invalid("a property without its }", at: start) }
        guard let categories = ScalarProperty.categories(named: name) else {
            throw self.unsupported("property \\p{\(name)}", at: start)
        }
        return .property(.categories(categories), isNegated: isNegated)
    }

    /// Reads one scalar after a backslash, with the position at its letter.
    private mutating func escapedScalar(_ start: Int) throws(PatternError) -> Unicode.Scalar {
        guard let scalar = self.current else { throw self.invalid("a \\ at the end", at: start) }
        self.position += 1
        switch scalar {
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "f": return "\u{C}"
        case "a": return "\u{7}"
        case "e": return "\u{1B}"
        case "u": return try self.hexadecimal(4...4, start)
        case "U": return try self.hexadecimal(8...8, start)
        case "x":
            guard self.takes("{") else { return try self.hexadecimal(1...2, start) }
            let found = try self.hexadecimal(1...6, start)
            guard self.takes("}") else { throw self.invalid("a \\x{ without its }", at: start) }
            return found
        case "1"..."9": throw self.unsupported("back-reference \\\(scalar)", at: start)
        case "k": throw self.unsupported("back-reference \\k", at: start)
        // ICU accepts those of the last line where they mean nothing, such as `\E` without `\Q` and `\b` inside of
        // brackets.
        case "0", "c", "G", "N", "R", "X",
            "E", "K", "b", "B":
            throw self.unsupported("escape \\\(scalar)", at: start)
        case "a"..."z", "A"..."Z": throw self.invalid("escape \\\(scalar)", at: start)
        default: return scalar
        }
    }

    private mutating func hexadecimal(_ count: ClosedRange<Int>, _ start: Int) throws(PatternError) -> Unicode.Scalar {
        var value: UInt32 = 0
        var digits = 0
        while digits < count.upperBound, let scalar = self.current, scalar.value < 0x80,
            let digit = Character(scalar).hexDigitValue
        {
            value = value << 4 | UInt32(digit)
            digits += 1
            self.position += 1
        }
        guard digits >= count.lowerBound, let scalar = Unicode.Scalar(value) else {
            throw self.invalid("the digits of an escape", at: start)
        }
        return scalar
    }
}
