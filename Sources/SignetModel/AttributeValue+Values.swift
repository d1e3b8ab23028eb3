// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date

// Literals need none of these; variables do: `["level": AttributeValue(level), "since": AttributeValue(date)]`.
extension AttributeValue {
    /// Makes a text.
    public init(_ value: String) {
        self = .string(value)
    }

    /// Makes a whole number.
    public init(_ value: Int) {
        self = .integer(Int64(value))
    }

    /// Makes a number; NaN and the infinities are refused where the value is used.
    public init(_ value: Double) {
        self = .double(value)
    }

    /// Makes a Boolean.
    public init(_ value: Bool) {
        self = .bool(value)
    }

    /// Makes a moment, to the second.
    public init(_ value: Date) {
        self = .date(value)
    }

    /// Makes a moment from seconds since 1970-01-01T00:00:00Z.
    ///
    /// ```swift
    /// let attributes: Attributes = ["level": 4, "vip": true, "since": .date(secondsSince1970: 1_763_596_800)]
    /// ```
    ///
    /// - Parameter seconds: The seconds; a fraction is cut off on the wire.
    /// - Returns: The moment.
    public static func date(secondsSince1970 seconds: Double) -> AttributeValue {
        .date(Date(timeIntervalSince1970: seconds))
    }
}

/// A text with values in it, such as `"room \(number)"`.
extension AttributeValue: ExpressibleByStringInterpolation {}
