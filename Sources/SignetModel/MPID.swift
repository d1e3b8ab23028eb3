// SPDX-License-Identifier: Apache-2.0

/// The platform's id of one user profile: a signed 64-bit number that is never zero.
///
/// An MPID may be negative. Zero means "no user" in the platform's older interfaces; this type cannot hold it.
public struct MPID: RawRepresentable, Hashable, Sendable, Comparable {
    /// The number itself, never zero.
    public let rawValue: Int64

    /// Makes an MPID from a number.
    ///
    /// - Parameter rawValue: Any 64-bit number but zero; zero gives nil.
    public init?(rawValue: Int64) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// Orders by number, so that listings are stable.
    public static func < (lhs: MPID, rhs: MPID) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}

extension MPID: LosslessStringConvertible {
    /// Parses the decimal form that the platform writes, such as `"-6504934091054997508"`.
    ///
    /// - Parameter description: ASCII digits, with an optional minus sign; anything else, zero included, gives nil.
    public init?(_ description: String) {
        guard description.utf8.first != UInt8(ascii: "+"), let number = Int64(description) else { return nil }
        self.init(rawValue: number)
    }

    /// The number in decimal digits, as requests carry it.
    public var description: String {
        String(self.rawValue)
    }
}
