//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite struct BatchRecordTests {
    private func record(_ sequences: [UInt64] = [3, 4, 9], head: String = #"{"events":["#) throws -> BatchRecord {
        BatchRecord(
            id: UUID(),
            installation: "cookie-é",
            mpid: try #require(MPID(rawValue: -6_504_934_091_054_997_508)),
            sequences: sequences,
            head: Array(head.utf8)
        )
    }

    @Test func whatIsWrittenIsRead() throws {
        for sequences in [[], [1], [1, .max]] as [[UInt64]] {
            let record = try self.record(sequences)
            #expect(BatchRecord(record.encoded()) == record)
        }
    }

    @Test func bytesThatEndTooSoonAreNone() throws {
        let record = try self.record(head: "")
        let bytes = record.encoded()
        for count in 0..<bytes.count { #expect(BatchRecord(Array(bytes.prefix(count))) == nil) }
    }

    @Test func aCountBeyondTheBytesIsNoneAndTakesNoMemory() throws {
        var bytes = try self.record([], head: "").encoded()
        bytes.replaceSubrange(bytes.count - 4..<bytes.count, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(BatchRecord(bytes) == nil)
        bytes[0] = 2
        #expect(BatchRecord(bytes) == nil)
    }

    @Test func theBodyIsHeadAndEventsAndTail() throws {
        let record = try self.record()
        func text(_ events: [String]) -> String {
            String(decoding: record.body(events: events.map { Array($0.utf8) }), as: UTF8.self)
        }
        #expect(text([]) == #"{"events":[]}"#)
        #expect(text(["1"]) == #"{"events":[1]}"#)
        #expect(text(["1", "{}", "3"]) == #"{"events":[1,{},3]}"#)
    }
}
