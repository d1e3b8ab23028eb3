// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct ByteTextTests {
    private static let texts = [
        "", "a", "ab", "caf\u{E9}", "cafe\u{301}", "\u{0}", "😀", String(repeating: "x", count: 40),
    ]

    @Test func textsAreEqualWhenTheirBytesAre() {
        for one in Self.texts {
            for other in Self.texts {
                let isSame = Array(one.utf8) == Array(other.utf8)
                #expect(
                    (ByteText(one) == ByteText(other)) == isSame,
                    "\(one.debugDescription) \(other.debugDescription)"
                )
                let begins = Array(one.utf8.prefix(other.utf8.count)) == Array(other.utf8)
                #expect(ByteText(one).begins(with: other) == begins)
            }
        }
        #expect(Set(Self.texts.map { ByteText($0) }).count == Self.texts.count)
        #expect(ByteText("a").hashValue == ("a" as ByteText).hashValue)
    }

    /// The end of a text is part of its hash: lists of texts that are cut elsewhere have another.
    @Test func whereATextEndsIsHashed() {
        #expect([ByteText("ab"), "c"].hashValue != [ByteText("a"), "bc"].hashValue)
    }

    /// Comparing these as strings takes seconds each.
    @Test func manyMarksOnOneLetterAreBytesLikeOthers() {
        let texts = (0..<20).map { ByteText("a" + String(repeating: "\u{316}\u{301}", count: 40_000) + "\($0)") }
        #expect(Set(texts + texts).count == 20 && texts.allSatisfy { $0.begins(with: "a\u{316}") })
    }
}
