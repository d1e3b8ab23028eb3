// SPDX-License-Identifier: Apache-2.0

/// Numbers that are written as text, in each dialect.
enum NumberText {
    /// The maximum length of a number; longer text is not parsed.
    private static let longest = 400

    /// Parses the number in a text; nil if there is none.
    ///
    /// Under `.strict` a number is digits with an optional sign, fraction and exponent. Under `.iOS` it is any text
    /// that Swift parses as a Double, including hexadecimal digits, `nan` and `inf`.
    static func double(_ text: String, dialect: CriteriaDialect) -> Double? {
        guard text.utf8.count <= Self.longest else { return nil }
        switch dialect {
        case .strict: return Self.isDecimal(text) ? Double(text) : nil
        case .iOS: return Double(text)
        }
    }

    /// Rewrites a criterion's value as the vendor's checker does.
    ///
    /// A whole number becomes its digits. Another number gets six decimals and loses the zeros at both ends (`0.5`
    /// becomes `.5`). The checker ends the process for `nan`, `inf` and numbers beyond 64 bits; here such text stays as
    /// it is.
    static func rewritten(_ text: String) -> String {
        guard text.utf8.count <= Self.longest, let number = Double(text), number.magnitude < 0x1p63 else { return text }
        if let integer = Int64(exactly: number) { return String(integer) }
        let digits = Self.sixDecimals(number)[...]
        let behind = digits.drop { $0 == "0" }
        return String(behind.reversed().drop { $0 == "0" }.reversed())
    }

    /// Formats a number like `%.6f`: exactly, with a tie to the even digit.
    ///
    /// The number must not be whole, and therefore is below 2^53.
    private static func sixDecimals(_ number: Double) -> String {
        let magnitude = number.magnitude
        let whole = magnitude.rounded(.down)
        // The fraction is significand / 2^shift exactly, so its millionths are a division of whole numbers.
        let fraction = magnitude - whole
        let shift = 52 - Int(fraction.exponent)
        let millionths = UInt128(fraction.significandBitPattern | 1 << 52) * 1_000_000
        var rounded: UInt128 = 0
        if shift < 127 {
            rounded = millionths >> UInt128(shift)
            let rest = millionths - rounded << UInt128(shift)
            let half: UInt128 = 1 << UInt128(shift - 1)
            if rest > half || rest == half && rounded % 2 == 1 { rounded += 1 }
        }
        let total = UInt128(whole) * 1_000_000 + rounded
        let decimals = String(total % 1_000_000)
        let sign = number < 0 ? "-" : ""
        return "\(sign)\(total / 1_000_000).\(String(repeating: "0", count: 6 - decimals.count))\(decimals)"
    }

    private static func isDecimal(_ text: String) -> Bool {
        var rest = Substring(text).utf8[...]
        func digits() -> Bool {
            let count = rest.prefix { $0 &- UInt8(ascii: "0") < 10 }.count
            rest = rest.dropFirst(count)
            return count > 0
        }
        func sign() {
            if let byte = rest.first, byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") { rest = rest.dropFirst() }
        }
        sign()
        guard digits() else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() else { return false }
        }
        if let byte = rest.first, byte | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            sign()
            guard digits() else { return false }
        }
        return rest.isEmpty
    }
}
