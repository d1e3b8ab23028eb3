// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@Suite struct InstallationIDTests {
    @Test func oneTo256BytesAreAllowed() {
        #expect(!InstallationID("").isValid)
        #expect(InstallationID("a").isValid)
        #expect(InstallationID(String(repeating: "a", count: 256)).isValid)
        #expect(!InstallationID(String(repeating: "a", count: 257)).isValid)
        // Bytes count, not characters.
        #expect(InstallationID(String(repeating: "é", count: 128)).isValid)
        #expect(!InstallationID(String(repeating: "é", count: 129)).isValid)
    }

    @Test(arguments: ["\u{0}", "a\u{0}b", "a\nb", "\t", "\u{1B}[0m", "\u{7F}", "\u{80}", "\u{9F}", "\r\n"])
    func controlCharactersAreNot(text: String) {
        #expect(!InstallationID(text).isValid)
    }

    @Test(arguments: ["../evil", "..", "a/b", "%2e%2e%2f", "\u{202E}", " ", "CON", "\u{A0}"])
    func whatOnlyLooksLikeAPathIsAName(text: String) {
        #expect(InstallationID(text).isValid)
    }

    @Test func twoSpellingsOfALetterAreTwoIDs() {
        let composed = InstallationID("\u{E9}")
        let decomposed = InstallationID("e\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(InstallationID("A") != InstallationID("a"))
        #expect(InstallationID(rawValue: "x") == "x")
    }
}
