// SPDX-License-Identifier: Apache-2.0

extension TextRoom {
    /// The maximum length of the text of a double, such as `-2.2250738585072014e-308`.
    static let longestDouble = 24

    /// Appends the shortest text that parses as the same number, as `Double.description` gives it.
    ///
    /// A price or a ratio has few decimals. If a number of at most 13 digits divided by 10,000 is the number itself, then its
    /// digits are the shortest: no two decimals of up to 15 digits are the same double. That takes one division where the
    /// general method takes a hundred nanoseconds.
    mutating func append(_ value: Double) {
        let size = value.magnitude
        let units = (size * 10_000).rounded()
        guard size >= 0.001, size < 1e9, units / 10_000 == size else {
            self.append(general: value)
            return
        }
        if value < 0 { self.append("-") }
        let (whole, decimals) = UInt64(units).quotientAndRemainder(dividingBy: 10_000)
        self.append(digits: whole)
        self.append(".")
        self.append(decimals: decimals)
    }

    /// Appends four decimals without trailing zeros, one digit at least.
    private mutating func append(decimals: UInt64) {
        var rest = decimals
        var divisor: UInt64 = 1000
        repeat {
            self.append(digits: rest / divisor)
            rest %= divisor
            divisor /= 10
        } while rest > 0
    }

    private mutating func append(general value: Double) {
        var text = value.description
        text.withUTF8 { self.append(UnsafeRawBufferPointer($0)) }
    }
}
