// SPDX-License-Identifier: Apache-2.0

/// The name of a numbered file, such as `000000000000002a.log`.
struct FileName: Sendable, Equatable {
    /// The number, 16 hexadecimal digits in the name, so that byte order is number order.
    var number: UInt64

    /// The part after the first dot.
    var suffix: String

    /// The suffix of incomplete files; a start removes them.
    static let unfinished = "tmp"

    init(number: UInt64, suffix: String) {
        self.number = number
        self.suffix = suffix
    }

    /// Reads a name; nil for a name that the store does not use.
    init?(_ name: String) {
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 16, let number = UInt64(parts[0], radix: 16) else { return nil }
        self.number = number
        self.suffix = String(parts[1])
        // One number has one name, without capitals or a sign.
        guard self.text == name else { return nil }
    }

    var text: String {
        let digits = String(self.number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + "." + self.suffix
    }
}
