// SPDX-License-Identifier: Apache-2.0

/// The change of a user's lifetime value by an event (Events API v2, `lifetime_value_change`).
public struct LifetimeValueChange: Sendable, Hashable {
    /// The amount of the change; finite.
    public var amount: Double
    /// The user attribute that holds the sum; nil for the platform's own.
    public var attribute: String?

    /// Makes a change.
    public init(_ amount: Double, attribute: String? = nil) {
        self.amount = amount
        self.attribute = attribute
    }
}
