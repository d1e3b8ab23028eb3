// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct HTTPDateTests {
    struct Vector: Sendable {
        let seconds: Int64
        let rfc1123: String
        let basic: String

        init(_ seconds: Int64, _ rfc1123: String, _ basic: String) {
            self.seconds = seconds
            self.rfc1123 = rfc1123
            self.basic = basic
        }
    }

    /// Computed with Python's datetime.
    static let vectors = [
        Vector(-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT", "00010101T000000Z"),
        Vector(-62_104_060_801, "Mon, 31 Dec 0001 23:59:59 GMT", "00011231T235959Z"),
        Vector(-62_035_891_200, "Sun, 29 Feb 0004 00:00:00 GMT", "00040229T000000Z"),
        Vector(-59_006_448_000, "Sun, 28 Feb 0100 00:00:00 GMT", "01000228T000000Z"),
        Vector(-59_006_361_600, "Mon, 01 Mar 0100 00:00:00 GMT", "01000301T000000Z"),
        Vector(-49_539_340_800, "Tue, 29 Feb 0400 00:00:00 GMT", "04000229T000000Z"),
        Vector(-12_219_292_800, "Fri, 15 Oct 1582 00:00:00 GMT", "15821015T000000Z"),
        Vector(-11_670_998_400, "Tue, 29 Feb 1600 00:00:00 GMT", "16000229T000000Z"),
        Vector(-2_208_988_801, "Sun, 31 Dec 1899 23:59:59 GMT", "18991231T235959Z"),
        Vector(-2_203_977_600, "Wed, 28 Feb 1900 00:00:00 GMT", "19000228T000000Z"),
        Vector(-2_203_891_200, "Thu, 01 Mar 1900 00:00:00 GMT", "19000301T000000Z"),
        Vector(-1, "Wed, 31 Dec 1969 23:59:59 GMT", "19691231T235959Z"),
        Vector(0, "Thu, 01 Jan 1970 00:00:00 GMT", "19700101T000000Z"),
        Vector(946_684_799, "Fri, 31 Dec 1999 23:59:59 GMT", "19991231T235959Z"),
        Vector(951_825_600, "Tue, 29 Feb 2000 12:00:00 GMT", "20000229T120000Z"),
        Vector(951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT", "20000301T000000Z"),
        Vector(1_700_000_000, "Tue, 14 Nov 2023 22:13:20 GMT", "20231114T221320Z"),
        Vector(1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT", "20240229T235959Z"),
        Vector(2_147_483_648, "Tue, 19 Jan 2038 03:14:08 GMT", "20380119T031408Z"),
        Vector(4_107_456_000, "Sun, 28 Feb 2100 00:00:00 GMT", "21000228T000000Z"),
        Vector(4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT", "21000301T000000Z"),
        Vector(64_092_211_200, "Mon, 01 Jan 4001 00:00:00 GMT", "40010101T000000Z"),
        Vector(253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT", "99991231T235959Z"),
    ]

    @Test(arguments: Self.vectors)
    func aSecondIsWrittenAndReadInBothSpellings(vector: Vector) {
        let milliseconds = vector.seconds * 1000
        #expect(HTTPDate.rfc1123(milliseconds: milliseconds) == vector.rfc1123)
        #expect(HTTPDate.basicISO8601(milliseconds: milliseconds) == vector.basic)
        #expect(HTTPDate.parse(vector.rfc1123) == milliseconds)
        #expect(HTTPDate.parse(vector.basic) == milliseconds)
    }

    // 37,595 times in steps that walk through days, months and times of day. The expected value is the digest of all lines
    // as Python's datetime writes them.
    @Test func tenThousandYearsAgreeWithAnotherImplementation() {
        var lines = ""
        for seconds in stride(from: Int64(-62_135_596_800), through: 253_402_300_799, by: 97 * 86400 + 12345) {
            let rfc1123 = HTTPDate.rfc1123(milliseconds: seconds * 1000)
            let basic = HTTPDate.basicISO8601(milliseconds: seconds * 1000)
            if HTTPDate.parse(rfc1123) != seconds * 1000 || HTTPDate.parse(basic) != seconds * 1000 {
                Issue.record("\(rfc1123) or \(basic) does not come back")
            }
            lines += "\(rfc1123)\n\(basic)\n"
        }
        #expect(
            Hexadecimal.encode(SHA256.hash(Array(lines.utf8)))
                == "4ceab35acf6dd49246358b7cbf75c0deca0d0011760cb9ea3d14a71c681af5f9"
        )
    }

    @Test(arguments: [
        (Int64(1_700_000_000_999), "20231114T221320Z"),
        (-1, "19691231T235959Z"),
        (-1000, "19691231T235959Z"),
        (-1001, "19691231T235958Z"),
        (999, "19700101T000000Z"),
    ])
    func aPartOfASecondIsRoundedDown(milliseconds: Int64, text: String) {
        #expect(HTTPDate.basicISO8601(milliseconds: milliseconds) == text)
    }

    @Test func timesBeyondTheRangeAreWrittenAsItsEnds() {
        for milliseconds in [Int64.max, 253_402_300_800_000] {
            #expect(HTTPDate.rfc1123(milliseconds: milliseconds) == "Fri, 31 Dec 9999 23:59:59 GMT")
            #expect(HTTPDate.basicISO8601(milliseconds: milliseconds) == "99991231T235959Z")
        }
        for milliseconds in [Int64.min, -62_135_596_800_001] {
            #expect(HTTPDate.rfc1123(milliseconds: milliseconds) == "Mon, 01 Jan 0001 00:00:00 GMT")
            #expect(HTTPDate.basicISO8601(milliseconds: milliseconds) == "00010101T000000Z")
        }
    }

    @Test(arguments: [
        "", "0", "Wed, 14 Nov 2023 22:13:20 GMT", "tue, 14 Nov 2023 22:13:20 GMT", "Tue, 14 nov 2023 22:13:20 GMT",
        "Tue, 14 Nov 2023 22:13:20 UTC", "Tue, 14 Nov 2023 22:13:20 gmt", "Tue, 14 Nov 2023 22:13:20 +00",
        "Tue, 14 Nov 2023 24:00:00 GMT", "Tue, 14 Nov 2023 22:60:20 GMT", "Tue, 14 Nov 2023 22:13:60 GMT",
        "Tue, 31 Nov 2023 22:13:20 GMT", "Tue, 00 Nov 2023 22:13:20 GMT", "Tue,14 Nov 2023 22:13:20 GMT ",
        "Tue, 14-Nov-2023 22:13:20 GMT", "Tuesday, 14-Nov-23 22:13:20 GMT", "Tue Nov 14 22:13:20 2023",
        "Tue, 14 Nov 2023 22.13.20 GMT", " Tue, 14 Nov 2023 22:13:20 GMT", "Tue, 14 Nov 2023 22:13:20 GMT\n",
        "Tue, 1４ Nov 2023 22:13:20", "Thu, 29 Feb 1900 00:00:00 GMT", "Wed, 29 Feb 2023 00:00:00 GMT",
        "Sat, 01 Jan 0000 00:00:00 GMT", "Tue, -4 Nov 2023 22:13:20 GMT", "Tue, +4 Nov 2023 22:13:20 GMT",
    ])
    func aLongSpellingThatIsNotExactIsRefused(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test(arguments: [
        "20231114t221320Z", "20231114T221320z", "20231114 221320Z", "2023-11-14T22:13:20Z", "20231114T221320",
        "20231114T221320.0Z", "20231114T221320+0", "20231314T221320Z", "20230014T221320Z", "20231131T221320Z",
        "20231100T221320Z", "20230229T000000Z", "21000229T000000Z", "20231114T240000Z", "20231114T226020Z",
        "20231114T221360Z", "00000101T000000Z", "-0231114T221320Z", "+0231114T221320Z", "2023111 T221320Z",
        "2023 114T221320Z", "٢٠٢٣1114T2213Z", "20231114T22132\u{0}Z", "10000101T000000ZZ",
    ])
    func aBasicSpellingThatIsNotExactIsRefused(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }
}
