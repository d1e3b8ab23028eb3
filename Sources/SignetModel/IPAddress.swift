// SPDX-License-Identifier: Apache-2.0

/// An address of the Internet Protocol, version 4 or 6, in canonical form.
///
/// A version 4 address mapped to version 6 (`::ffff:192.0.2.1`), as servers with one socket for both see it, becomes
/// the version 4 address.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    private enum Bits: Hashable {
        case version4(UInt32)
        case version6(high: UInt64, low: UInt64)
    }

    private let bits: Bits

    /// Parses an address; nil for any other text, also for an address with a port, brackets or a zone.
    ///
    /// - Parameter text: Four decimal numbers without leading zeros, or one of the forms of RFC 4291, section 2.2.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8.prefix(Self.longest + 1))
        guard bytes.count <= Self.longest else { return nil }
        if let address = Self.version4(bytes[...]) {
            self.bits = .version4(address)
            return
        }
        guard let groups = Self.version6(bytes[...]) else { return nil }
        let high = groups[..<4].reduce(0) { $0 << 16 | UInt64($1) }
        let low = groups[4...].reduce(0) { $0 << 16 | UInt64($1) }
        let isMapped = high == 0 && low >> 32 == 0xFFFF
        self.bits = isMapped ? .version4(UInt32(truncatingIfNeeded: low)) : .version6(high: high, low: low)
    }

    /// True for an address of 128 bits.
    public var isVersion6: Bool {
        if case .version6 = self.bits { true } else { false }
    }

    /// The longest spelling in bytes: six groups and a version 4 address.
    private static let longest = 45

    private static func version4(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            // Some readers take a number with a leading zero as octal.
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0"),
                part.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
                let number = UInt8(String(decoding: part, as: UTF8.self))
            else { return nil }
            address = address << 8 | UInt32(number)
        }
        return address
    }

    /// - Returns: Eight groups.
    private static func version6(_ bytes: ArraySlice<UInt8>) -> [UInt16]? {
        let colon = UInt8(ascii: ":")
        let gap = bytes.indices.first { bytes[$0...].starts(with: [colon, colon]) }
        guard let gap else {
            let groups = self.groups(bytes)
            return groups?.count == 8 ? groups : nil
        }
        let after = bytes[(gap + 2)...]
        let head = gap == bytes.startIndex ? [] : self.groups(bytes[..<gap], mayEndInVersion4: false)
        let tail = after.isEmpty ? [] : self.groups(after)
        guard let head, let tail, head.count + tail.count < 8 else { return nil }
        return head + [UInt16](repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    private static func groups(_ bytes: ArraySlice<UInt8>, mayEndInVersion4: Bool = true) -> [UInt16]? {
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 8 else { return nil }
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if part.contains(UInt8(ascii: ".")) {
                guard mayEndInVersion4, index == parts.count - 1, let address = self.version4(part) else { return nil }
                groups += [UInt16(address >> 16), UInt16(address & 0xFFFF)]
                continue
            }
            // `UInt16(_:radix:)` accepts a sign, so the digits are checked first.
            guard (1...4).contains(part.count), part.allSatisfy(Self.isDigit),
                let number = UInt16(String(decoding: part, as: UTF8.self), radix: 16)
            else { return nil }
            groups.append(number)
        }
        return groups
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// The address in its usual spelling (RFC 5952 for version 6).
    public var description: String {
        switch self.bits {
        case .version4(let address):
            [24, 16, 8, 0].map { (shift: UInt32) in String(address >> shift & 0xFF) }.joined(separator: ".")
        case .version6(let high, let low):
            Self.text(
                [high, low].flatMap { half in
                    [48, 32, 16, 0].map { (shift: UInt64) in UInt16(truncatingIfNeeded: half >> shift) }
                }
            )
        }
    }

    private static func text(_ groups: [UInt16]) -> String {
        guard let gap = Self.longestGap(in: groups) else {
            return groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
        let parts = [groups[..<gap.lowerBound], groups[gap.upperBound...]]
        return parts.map { $0.map { String($0, radix: 16) }.joined(separator: ":") }.joined(separator: "::")
    }

    /// The first of the longest runs of zeros, of two or more groups.
    private static func longestGap(in groups: [UInt16]) -> Range<Int>? {
        var longest = 0..<0
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 {
                start = index + 1
            } else if index + 1 - start > longest.count {
                longest = start..<index + 1
            }
        }
        return longest.count > 1 ? longest : nil
    }
}
