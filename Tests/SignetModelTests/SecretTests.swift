// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@Suite struct SecretTests {
    private struct Holder {
        let secret: Secret
        let list: [Secret]
        let perhaps: Secret?
    }

    private let secret: Secret = "MARK-of-the-secret"

    @Test func itNeverShows() {
        var dumped = ""
        let holder = Holder(secret: self.secret, list: [self.secret], perhaps: self.secret)
        dump(holder, to: &dumped)
        dump(self.secret, to: &dumped)
        var printed = ""
        print(self.secret, holder, to: &printed)
        let texts = [
            dumped, printed, "\(self.secret)", String(describing: self.secret), String(reflecting: self.secret),
            String(describing: holder), String(reflecting: holder), String(describing: [self.secret: 1]),
            String(describing: Optional(self.secret)), String(reflecting: Mirror(reflecting: self.secret)),
        ]
        for text in texts { #expect(!text.contains("MARK")) }
        #expect("\(self.secret)" == "<redacted>")
        #expect(Mirror(reflecting: self.secret).children.isEmpty)
    }

    @Test func itCanBeUsedAndCompared() {
        #expect(self.secret == Secret("MARK-of-the-secret"))
        #expect(self.secret != "other")
        #expect(!self.secret.isEmpty)
        #expect(Secret("").isEmpty)
        #expect(self.secret.withExposed { $0.count } == 18)
    }

    @Test(arguments: ["s\n", "s\r\n", "\ts", "a\nb", "a\u{0}b", "s\u{7F}", "s\u{85}", "\n"])
    func aTextWithAControlCharacterHasAFault(text: String) {
        #expect(SettingTextFault(text) == .controlCharacter)
    }

    @Test(arguments: [" s", "s ", "\u{A0}s", "s\u{2003}", "\u{FEFF}s", " "]) func aTextWithABlankAroundItHasAFault(
        text: String
    ) {
        #expect(SettingTextFault(text) == .outerBlank)
    }

    @Test(arguments: ["", "s", "a b", "\"s\"", "ä", "p@ss%20word", "host=db dbname=shop"]) func anOtherTextHasNone(
        text: String
    ) {
        #expect(SettingTextFault(text) == nil)
        #expect(Secret(text).textFault == nil)
    }

    @Test func theAdviceSaysWhatToDoAndNotTheSecret() throws {
        for text in ["MARK\n", " MARK"] {
            let fault = try #require(Secret(text).textFault)
            #expect(fault.advice.contains("remove it") && !fault.advice.contains("MARK"))
        }
    }
}
