// SPDX-License-Identifier: Apache-2.0

/// A rule that a profile, an identity or an event breaks; all violations are reported together.
public struct InfobipViolation: Sendable, Hashable {
    /// The rules.
    public enum Rule: Sendable, Hashable {
        /// At most this many characters (UTF-16 code units).
        case maximumLength(Int)
        /// At most this many values.
        case maximumCount(Int)
        /// Digits with an optional `+`, 5 to 15 of them.
        case phone
        /// One `@` with something on both sides, and neither white space nor control characters.
        case email
        /// Not "null" in any spelling: Infobip takes it for no value.
        case notNull
        /// Not empty; the id of an event has more than blanks.
        case notEmpty
        /// A number that is finite.
        case finite
        /// A moment in the years 1 to 9999.
        case representableDate
        /// Objects of single values: no lists within lists, no objects without members.
        case flatItems
        /// Objects with the same members of the same kinds.
        case sameShape
        /// A single value, no list.
        case singleValue
        /// At least one phone, e-mail address or external user id.
        case anyIdentity
    }

    /// The path of the field that breaks the rule: `firstName`, `phones[2]`, `customAttributes.plan`.
    public let field: String
    /// The rule.
    public let rule: Rule

    /// Makes a violation.
    package init(_ field: String, _ rule: Rule) {
        self.field = field
        self.rule = rule
    }
}

extension InfobipViolation: CustomStringConvertible {
    /// The field and the rule, without values.
    public var description: String {
        let rule =
            switch self.rule {
            case .maximumLength(let count): "must have at most \(count) characters"
            case .maximumCount(let count): "must have at most \(count) values"
            case .phone: "must be 5 to 15 digits with an optional +"
            case .email: "must be an address with one @, without white space and control characters"
            case .notNull: "must not be \"null\" in any spelling"
            case .notEmpty: "must not be empty"
            case .finite: "must be a finite number"
            case .representableDate: "must lie in the years 1 to 9999"
            case .flatItems: "must be a list of objects with single values"
            case .sameShape: "must be a list of objects with the same members of the same kinds"
            case .singleValue: "must be a single value"
            case .anyIdentity: "needs a phone, an e-mail address or an external user id"
            }
        return "\(self.field) \(rule)"
    }
}
