// SPDX-License-Identifier: Apache-2.0

import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite struct MessageIDsTests {
    @Test func noNameComesTwice() {
        var ids = MessageIDs(high: 7, counter: .max - 500)
        #expect(Set((0..<100_000).map { _ in ids.next() }).count == 100_000)
    }

    @Test func eachIsAUUIDOfVersion4() {
        var ids = MessageIDs()
        for _ in 0..<1000 {
            let text = Array(ids.next().uuidString)
            #expect(text[14] == "4")
            #expect("89AB".contains(text[19]))
        }
    }

    @Test func twoObjectsShareNone() {
        var first = MessageIDs()
        var second = MessageIDs()
        let names = (0..<1000).flatMap { _ in [first.next(), second.next()] }
        #expect(Set(names).count == 2000)
    }

    @Test func neighboursLookNothingAlike() {
        var ids = MessageIDs(high: 0, counter: 0)
        var differing = 0
        var last = ids.next()
        for _ in 0..<1000 {
            let next = ids.next()
            differing += zip(last.uuidString, next.uuidString).count { $0 != $1 }
            last = next
        }
        // The fixed half differs nowhere; the other sixteen digits, of which one is nearly fixed, nearly everywhere.
        #expect(differing > 12_000)
    }
}
