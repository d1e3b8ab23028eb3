// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@Suite struct MPIDTests {
    @Test(arguments: [1, -1, Int64.max, .min, -6_504_934_091_054_997_508]) func aNumberGoesThroughItsText(
        number: Int64
    ) throws {
        let mpid = try #require(MPID(rawValue: number))
        #expect(mpid.rawValue == number)
        #expect(MPID(mpid.description) == mpid)
        #expect("\(mpid)" == String(number))
    }

    @Test func zeroIsNobody() {
        #expect(MPID(rawValue: 0) == nil)
        #expect(MPID("0") == nil)
        #expect(MPID("-0") == nil)
    }

    @Test(arguments: ["", "+1", " 1", "1 ", "1.0", "0x1", "9223372036854775808", "1e3", "\u{661}", "--1", "nan"])
    func anyOtherTextIsNone(text: String) {
        #expect(MPID(text) == nil)
    }

    @Test func comparesAllSixtyFourBits() throws {
        let low = try #require(MPID(rawValue: 1))
        let high = try #require(MPID(rawValue: 1 + (1 << 32)))
        #expect(low != high)
        #expect(low < high)
        #expect(Set([low, high]).count == 2)
    }
}
