// SPDX-License-Identifier: Apache-2.0

/// Reads the syntax of a regular expression; ``Pattern`` documents it.
struct PatternParser {
    struct Flags: OptionSet {
        static let folds = Flags(rawValue: 1)
        static let dotTakesLineEnds = Flags(rawValue: 2)
        static let linesHaveEnds = Flags(rawValue: 4)

        let rawValue: Int

        mutating func set(_ flag: Flags, to value: Bool) {
            if value { self.insert(flag) } else { self.remove(flag) }
        }
    }

    /// The maximum number of scalars in a pattern.
    static let lengthLimit = 1000
    /// The maximum nesting of groups.
    static let depthLimit = 100
    /// The maximum count of a repetition.
    static let countLimit = 1000

    let scalars: [Unicode.Scalar]
    /// The meaning of `\s`.
    let space: ScalarProperty
    var position = 0
    var flags: Flags = []
    private var depth = 0

    init(_ text: String, _ dialect: CriteriaDialect) throws(PatternError) {
        self.space = dialect == .iOS ? .whiteSpace : .space
        self.scalars = Array(text.unicodeScalars.prefix(Self.lengthLimit + 1))
        guard self.scalars.count <= Self.lengthLimit else {
            throw PatternError(.unsupported, "more than \(Self.lengthLimit) characters", at: Self.lengthLimit)
        }
    }

    mutating func pattern() throws(PatternError) -> PatternNode {
        guard !self.scalars.isEmpty else { throw self.invalid("nothing") }
        let node = try self.choice()
        guard self.position == self.scalars.count else { throw self.invalid("a ) without its (") }
        return node
    }

    var current: Unicode.Scalar? {
        self.position < self.scalars.count ? self.scalars[self.position] : nil
    }

    /// Steps over a text if it comes next; returns true if it did.
    mutating func takes(_ text: String) -> Bool {
        let wanted = Array(text.unicodeScalars)
        guard self.scalars[self.position...].starts(with: wanted) else { return false }
        self.position += wanted.count
        return true
    }

    func invalid(_ construct: String, at offset: Int? = nil) -> PatternError {
        PatternError(.invalid, construct, at: offset ?? self.position)
    }

    func unsupported(_ construct: String, at offset: Int? = nil) -> PatternError {
        PatternError(.unsupported, construct, at: offset ?? self.position)
    }

    private mutating func choice() throws(PatternError) -> PatternNode {
        var branches = [try self.sequence()]
        while self.takes("|") {
            branches.append(try self.sequence())
        }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence() throws(PatternError) -> PatternNode {
        var nodes: [PatternNode] = []
        while let scalar = self.current, scalar != "|", scalar != ")" {
            if self.takes("\\Q") {
                let count = nodes.count
                self.quotation(into: &nodes)
                if nodes.count > count { nodes.append(try self.repeated(nodes.removeLast())) }
            } else if let atom = try self.atom() {
                if case .assertion = atom, scalar == "\\" {
                    // ICU repeats only `^` and `$` among the assertions.
                    nodes.append(atom)
                } else {
                    nodes.append(try self.repeated(atom))
                }
            }
        }
        return nodes.count == 1 ? nodes[0] : .sequence(nodes)
    }

    /// Reads literal scalars up to `\E`; a repetition after it applies to the last scalar.
    private mutating func quotation(into nodes: inout [PatternNode]) {
        while let scalar = self.current, !self.takes("\\E") {
            self.position += 1
            nodes.append(.scalar(self.folded(scalar), folds: self.flags.contains(.folds)))
        }
    }

    /// Returns the atom with the repetition after it, if there is one.
    private mutating func repeated(_ atom: PatternNode) throws(PatternError) -> PatternNode {
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

    /// Reads one item that can be repeated; nil for flags and comments.
    private mutating func atom() throws(PatternError) -> PatternNode? {
        guard let scalar = self.current else { return nil }
        switch scalar {
        case "(": return try self.group()
        case "[": return .set(try self.bracket())
        case "\\": return try self.escape()
        case ".":
            self.position += 1
            return .set(self.flags.contains(.dotTakesLineEnds) ? .all : .dot)
        case "^":
            self.position += 1
            return .assertion(self.flags.contains(.linesHaveEnds) ? .lineStart : .start)
        case "$":
            self.position += 1
            return .assertion(self.flags.contains(.linesHaveEnds) ? .lineEnd : .endOrLastLine)
        case "*", "+", "?": throw self.invalid("a \(scalar) with nothing to repeat")
        case "{": throw self.invalid("a { with nothing to repeat")
        case "}": throw self.invalid("a } without its {")
        default:
            self.position += 1
            return .scalar(self.folded(scalar), folds: self.flags.contains(.folds))
        }
    }

    func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        self.flags.contains(.folds) ? ScalarCase.folded(scalar) : scalar
    }

    private mutating func group() throws(PatternError) -> PatternNode? {
        let start = self.position
        self.position += 1
        self.depth += 1
        defer { self.depth -= 1 }
        guard self.depth <= Self.depthLimit else {
            throw self.unsupported("more than \(Self.depthLimit) groups inside each other", at: start)
        }
        let outer = self.flags
        if self.takes("?"), try !self.groupHead(start) { return nil }
        let node = try self.choice()
        guard self.takes(")") else { throw self.invalid("a ( without its )", at: start) }
        self.flags = outer
        return node
    }

    /// Reads the text after `(?`.
    ///
    /// - Returns: True if a group follows; false after a comment or flags for the rest of the enclosing group.
    private mutating func groupHead(_ start: Int) throws(PatternError) -> Bool {
        if self.takes(":") { return true }
        if self.takes("#") {
            while let scalar = self.current, scalar != ")" { self.position += 1 }
            guard self.takes(")") else { throw self.invalid("a comment without its )", at: start) }
            return false
        }
        if self.takes("=") || self.takes("!") { throw self.unsupported("look-ahead (?= or (?!", at: start) }
        if self.takes(">") { throw self.unsupported("atomic group (?>", at: start) }
        if self.takes("<=") || self.takes("<!") { throw self.unsupported("look-behind (?<= or (?<!", at: start) }
        if self.takes("<") {
            let name = self.position
            while let scalar = self.current, ScalarProperty.isWord(scalar), scalar.value < 0x80 { self.position += 1 }
            guard self.position > name, self.takes(">") else { throw self.invalid("the name of a group", at: start) }
            return true
        }
        return try self.setFlags(start)
    }

    private mutating func setFlags(_ start: Int, to value: Bool = true) throws(PatternError) -> Bool {
        while let scalar = self.current {
            self.position += 1
            switch scalar {
            case "-" where value: return try self.setFlags(start, to: false)
            case "i": self.flags.set(.folds, to: value)
            case "s": self.flags.set(.dotTakesLineEnds, to: value)
            case "m": self.flags.set(.linesHaveEnds, to: value)
            case "x", "w", "d", "u": throw self.unsupported("flag \(scalar)", at: start)
            case ":": return true
            case ")": return false
            default: throw self.invalid("group (?\(scalar)", at: start)
            }
        }
        throw self.invalid("a ( without its )", at: start)
    }
}
