// SPDX-License-Identifier: Apache-2.0

/// What a figure should be.
enum Goal: Sendable {
    case atLeast(Double)
    case atMost(Double)

    /// Whether a value is good enough.
    func isMet(by value: Double) -> Bool {
        switch self {
        case .atLeast(let bound): value >= bound
        case .atMost(let bound): value <= bound
        }
    }

    /// In words of the table.
    var text: String {
        switch self {
        case .atLeast(let bound): ">= \(Table.number(bound))"
        case .atMost(let bound): "<= \(Table.number(bound))"
        }
    }
}
