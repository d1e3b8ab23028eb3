// SPDX-License-Identifier: Apache-2.0

/// The words of a `User-Agent`, in lower case.
enum UserAgentWord {
    /// True if a text begins with a word, and neither a letter nor a digit continues it.
    static func isWhole(_ word: [UInt8], at text: ArraySlice<UInt8>) -> Bool {
        guard text.starts(with: word) else { return false }
        guard let last = word.last, Self.continues(last), let next = text.dropFirst(word.count).first else {
            return true
        }
        return !Self.continues(next)
    }

    /// True for a letter or a digit; each byte beyond ASCII is a part of a letter.
    static func continues(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: true
        default: false
        }
    }
}
