// SPDX-License-Identifier: Apache-2.0

/// Finds a part in a text in time linear in both, even if the part begins often without a match.
///
/// D. Knuth, J. Morris, V. Pratt: Fast pattern matching in strings, 1977.
enum TextSearch {
    static func finds<Text: Sequence, Part: RandomAccessCollection>(_ part: Part, in text: Text) -> Bool
    where Text.Element: Equatable, Part.Element == Text.Element, Part.Index == Int {
        guard !part.isEmpty else { return true }
        let base = part.startIndex
        // For each prefix of the part, the length of the longest shorter prefix that it ends with.
        var shorter = [0]
        shorter.reserveCapacity(part.count)
        var length = 0
        for index in 1..<max(1, part.count) {
            while length > 0, part[base + index] != part[base + length] { length = shorter[length - 1] }
            if part[base + index] == part[base + length] { length += 1 }
            shorter.append(length)
        }
        length = 0
        for element in text {
            while length > 0, element != part[base + length] { length = shorter[length - 1] }
            if element == part[base + length] { length += 1 }
            if length == part.count { return true }
        }
        return false
    }
}
