// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@testable import Signet
@testable import SignetIterable

@Suite struct HeldTokenTests {
    @Test(
        arguments: [
            (#"{"exp":1700000000}"#, 1_700_000_000_000), (#"{"exp":0}"#, 0),
            (#"{"exp":1700000000.9}"#, 1_700_000_000_000),
            (#"{"exp":1.7e9}"#, 1_700_000_000_000), (#"{"exp":"1700000000"}"#, nil), (#"{"exp":-1}"#, nil),
            (#"{"exp":true}"#, nil), (#"{"exp":null}"#, nil), (#"{"exp":253402300800}"#, nil), (#"{"exp":1e300}"#, nil),
            (#"{"exp":99999999999999999999}"#, nil), ("{}", nil), ("[]", nil), ("x", nil), ("", nil),
        ] as [(String, Int64?)]
    )
    func theEndIsReadFromTheSecondPart(payload: String, milliseconds: Int64?) {
        let part = Base64.encode(Array(payload.utf8)).filter { $0 != "=" }
        #expect(HeldToken.expiry(of: "e30.\(part).s") == milliseconds)
    }

    @Test func theAlphabetForURLsIsReadWithPaddingAndWithout() {
        // ">>>???" needs both characters that the alphabets do not share; one, two or three bytes need each padding.
        for tail in ["", "a", "aa", "aaa"] {
            let payload = #"{"n":">>>???\#(tail)","exp":7}"#
            let standard = Base64.encode(Array(payload.utf8))
            #expect(standard.contains("+") || standard.contains("/"))
            let url = String(standard.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
            for part in [standard, url, url.filter { $0 != "=" }] {
                #expect(HeldToken.expiry(of: "e30.\(part).s") == 7000)
            }
        }
    }

    @Test(arguments: ["", ".", "e30", "e30.", "..", "e30.*.s", "e30.e3.s", String(repeating: ".", count: 20_000)])
    func whatIsNoTokenHasNoEnd(text: String) {
        #expect(HeldToken.expiry(of: text) == nil)
    }

    @Test func aHeaderTakesVisibleASCIIOfALimitedLength() {
        #expect(HeldToken.isUsable("a.b-c_d=~!"))
        #expect(HeldToken.isUsable(String(repeating: "a", count: 16_384)))
        for text in ["", " ", "a b", "a\n", "a\u{7F}", "é", "a\u{0}", String(repeating: "a", count: 16_385)] {
            #expect(!HeldToken.isUsable(text))
        }
    }

    @Test func aTokenIsDueBeforeItIsExpired() {
        let held = HeldToken(text: "t", expiry: 100, refresh: 40)
        #expect(held.standing(at: 39) == .fresh)
        #expect(held.standing(at: 40) == .due)
        #expect(held.standing(at: 99) == .due)
        #expect(held.standing(at: 100) == .expired)
        #expect(HeldToken(text: "t").standing(at: .max) == .fresh)
    }
}
