// SPDX-License-Identifier: Apache-2.0

/// A regular expression that is searched in time linear in the text.
///
/// The matcher follows all ways through the pattern at once, scalar by scalar (K. Thompson, Regular Expression Search
/// Algorithm, 1968), so that no text causes backtracking. The time is at most the length of the text times
/// ``PatternProgram/limit``.
///
/// The syntax is that of ICU, without constructs that this method cannot match:
///
/// | syntax | meaning |
/// |---|---|
/// | `abc` `\.` `\Q...\E` | these scalars |
/// | `\n \t \r \f \a \e \xhh \x{h...} \uhhhh \Uhhhhhhhh` | a scalar |
/// | `.` | anything but an end of a line; with the flag s anything |
/// | `[a-z_]` `[^...]` | one of these, none of these |
/// | `\d \w \s \h \v` and capitals, `\p{Lu}` `\p{L}` `\P{...}` `\p{^...}` | a class, also inside brackets; general categories only |
/// | `^ $ \A \z \Z \b \B` | a place; `^` and `$` at each line with the flag m |
/// | `(...)` `(?:...)` `(?<name>...)` `(?#...)` | a group, a comment |
/// | `a\|b` | either |
/// | `* + ? {2} {2,} {2,5}`, each also with `?` behind | repetitions |
/// | `(?i)` `(?ims-ims:...)` | flags for the rest of the group, or for one group |
///
/// Case is ignored scalar by scalar: `ß` does not match `SS`, and the class `[ſ]` does not match `S`. These are refused
/// as unsupported, by name: look-ahead and look-behind, back-references, atomic groups, possessive repetitions, classes
/// inside classes and operations on them, other properties, the flags d, u, w and x, `\0 \c \G \N \R \X`, and `\E`
/// without `\Q`.
package struct Pattern: Sendable {
    private let program: PatternProgram

    /// Reads a pattern.
    ///
    /// - Parameters:
    ///   - text: The pattern, at most 1,000 scalars.
    ///   - dialect: The meaning of `\s`: as ICU documents it, `[\t\n\f\r\p{Z}]`, or under `.iOS` as ICU implements it,
    ///     with U+000B and U+0085 too.
    /// - Throws: ``PatternError`` with the construct and its place.
    package init(_ text: String, dialect: CriteriaDialect = .strict) throws(PatternError) {
        var parser = try PatternParser(text, dialect)
        self.program = try PatternProgram(try parser.pattern())
    }

    /// The maximum work of a search in a text, in steps of ``WorkMeter``.
    func steps(in text: String) -> Int {
        // Measured: a state or a part of a set takes 2.4 ns at a place, the other cases of a scalar 300 ns a byte.
        let width = self.program.states.count + self.program.parts
        return width + text.utf8.count * (4 + width / 8 + (self.program.folds ? 16 : 0))
    }

    /// True if the pattern is found anywhere in a text.
    package func isFound(in text: String) -> Bool {
        var machine = PatternMachine(self.program, text)
        return machine.isFound()
    }
}

/// A fault in a regular expression.
package struct PatternError: Error, Sendable, Hashable {
    /// The kinds of fault.
    package enum Kind: Sendable, Hashable {
        /// The pattern breaks the rules of the syntax.
        case invalid
        /// The pattern is valid, but not implemented or not matched in bounded time.
        case unsupported
    }

    /// The kind of fault.
    package let kind: Kind
    /// The construct at fault, such as `look-ahead (?=`.
    package let construct: String
    /// The scalar of the pattern at fault, from 0.
    package let offset: Int

    init(_ kind: Kind, _ construct: String, at offset: Int) {
        self.kind = kind
        self.construct = construct
        self.offset = offset
    }
}

extension PatternError: CustomStringConvertible {
    /// The kind, the construct and the place.
    package var description: String {
        "\(self.kind == .invalid ? "bad" : "unsupported") pattern: \(self.construct) at character \(self.offset)"
    }
}
