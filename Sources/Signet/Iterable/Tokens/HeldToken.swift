//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetTransport

/// A token and how long it may be used.
struct HeldToken: Sendable, Hashable {
    /// The token itself.
    let text: Secret
    /// When its time is over, in milliseconds since 1970; nil when that is not known, or not to be relied on.
    var expiry: Int64?
    /// When to ask for the next one, in milliseconds since 1970; nil to wait until it is needed.
    var refresh: Int64?

    // A header has an end.
    private static let longestToken = 16 * 1024
    // The last second of the year 9999: a later end is no date.
    private static let latestExpiry: Int64 = 253_402_300_799

    /// How a token stands at a time.
    enum Standing: Sendable, Hashable {
        case fresh
        case due
        case expired
    }

    func standing(at now: Int64) -> Standing {
        if let expiry = self.expiry, expiry <= now { return .expired }
        if let refresh = self.refresh, refresh <= now { return .due }
        return .fresh
    }

    /// Whether a text can stand in a header: visible ASCII, and not too much of it.
    static func isUsable(_ text: String) -> Bool {
        (1...Self.longestToken).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// When the time of a token is over: `exp` of its second part (RFC 7519, section 4.1.4), rounded down.
    ///
    /// - Parameter text: Parts with dots between them, in base 64 for URLs; the standard alphabet and padding are read too.
    /// - Returns: Milliseconds since 1970; nil when it does not say, or says something that is no date.
    static func expiry(of text: String) -> Int64? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count > 1, text.utf8.count <= Self.longestToken, let payload = Self.decode(parts[1]) else {
            return nil
        }
        let number: JSONNumber?
        do throws(JSONError) {
            number = try JSONReader.read(payload, limits: JSONLimits(bytes: Self.longestToken)).object?["exp"]?.number
        } catch {
            return nil
        }
        guard let number else { return nil }
        if let seconds = number.int64 {
            return (0...Self.latestExpiry).contains(seconds) ? seconds * 1000 : nil
        }
        guard let seconds = number.double, seconds >= 0, seconds <= Double(Self.latestExpiry) else { return nil }
        return Int64(seconds) * 1000
    }

    private static func decode(_ part: Substring.UTF8View.SubSequence) -> [UInt8]? {
        var standard = part.filter { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while !standard.count.isMultiple(of: 4) { standard.append(UInt8(ascii: "=")) }
        return Base64.decode(String(decoding: standard, as: UTF8.self))
    }
}
