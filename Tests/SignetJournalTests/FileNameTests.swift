// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SignetJournal

struct FileNameTests {
    @Test func aNumberHasOneName() {
        #expect(FileName(number: 0x2A, suffix: "log").text == "000000000000002a.log")
        #expect(FileName(number: .max, suffix: "acks").text == "ffffffffffffffff.acks")
        #expect(FileName("000000000000002a.log.tmp") == FileName(number: 42, suffix: "log.tmp"))
    }

    @Test func otherNamesAreNone() {
        let names = [
            "", ".", "..", "log", "2a.log", "000000000000002A.log", "+00000000000002a.log", "000000000000002a",
            "0000000000000002a.log", "000000000000002g.log", "../00000000000000a.log", "٠٠٠٠٠٠٠٠.log",
        ]
        for name in names {
            #expect(FileName(name) == nil, "\(name)")
        }
    }
}
