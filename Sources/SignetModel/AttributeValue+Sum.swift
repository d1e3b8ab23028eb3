// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.Decimal

extension AttributeValue {
    /// Adds two numbers as decimals: 0.1 and 0.2 make 0.3, unlike in binary fractions.
    ///
    /// Whole numbers are added exactly. If one is a double, the sum is the double nearest to the decimal sum; for numbers that
    /// differ by more than 38 digits, or beyond 10^127, it is the sum of IEEE 754.
    ///
    /// - Returns: The sum; nil when a value is not a number, or the sum is out of range.
    package func adding(_ other: AttributeValue) -> AttributeValue? {
        if case .integer(let first) = self, case .integer(let second) = other {
            let (sum, overflow) = first.addingReportingOverflow(second)
            return overflow ? nil : .integer(sum)
        }
        guard let first = self.double, let second = other.double else { return nil }
        let sum = self.decimal.flatMap { first in other.decimal.flatMap { Double("\(first + $0)") } } ?? first + second
        return sum.isFinite ? .double(sum) : nil
    }

    /// True for `integer` and `double`.
    package var isNumber: Bool {
        self.double != nil
    }

    private var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .string, .bool, .date, .list, .null: nil
        }
    }

    private var decimal: Decimal? {
        switch self {
        case .integer(let number): Decimal(number)
        // Its shortest text is the number as it was written.
        case .double(let number) where number.isFinite && (number == 0 || (1e-60...1e60).contains(abs(number))):
            Decimal(string: "\(number)")
        case .double, .string, .bool, .date, .list, .null: nil
        }
    }
}
