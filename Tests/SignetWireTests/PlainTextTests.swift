// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SignetWire

@Suite struct PlainTextTests {
    @Test func controlCharactersGo() {
        #expect(PlainText.cleaned("a\r\nb\u{0}c\u{7F}d\u{85}e\tf\u{1B}[31m") == "abcdef[31m")
    }

    @Test func whatEndsALineOrReordersItGoes() {
        #expect(PlainText.cleaned("a\u{2028}b\u{2029}c\u{202E}d\u{2066}e\u{200F}f") == "abcdef")
    }

    @Test func otherScriptsAndEmojiStay() {
        #expect(PlainText.cleaned("Ærø 東京 👩‍👩‍👧 نام") == "Ærø 東京 👩‍👩‍👧 نام")
    }

    @Test func theLengthIsBounded() {
        #expect(PlainText.cleaned(String(repeating: "x", count: 512)).count == 512)
        #expect(PlainText.cleaned(String(repeating: "x", count: 513)).count == 512)
    }

    @Test func oneCharacterOfAThousandMarksIsBoundedToo() {
        let zalgo = "a" + String(repeating: "\u{0301}", count: 10_000)
        #expect(PlainText.cleaned(zalgo).unicodeScalars.count == 512)
    }
}
