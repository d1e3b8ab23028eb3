// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite struct BatchRecordTests {
    private func record(
        _ sequences: [UInt64] = [3, 4, 9],
        _ content: BatchRecord.Content = .head([1, 2])
    )
        -> BatchRecord
    {
        BatchRecord(
            id: UUID(),
            installation: 7,
            mpid: MPID(rawValue: -6_504_934_091_054_997_508),
            sequences: SequenceList(sequences),
            events: 3,
            size: 12_345,
            content: content,
            facts: NumberedFacts(
                changes: ["tier": 1 << 40, "again": 0],
                consent: 1 << 33,
                version: UserConsent.Version(number: 7, hash: .max)
            )
        )
    }

    @Test func whatIsWrittenIsRead() {
        for sequences in [[], [1], [1, .max]] as [[UInt64]] {
            for content in [.head([]), .whole([7, 8]), .answered] as [BatchRecord.Content] {
                let record = self.record(sequences, content)
                #expect(BatchRecord(record.encoded()) == record)
            }
        }
    }

    @Test func aBodyIsHeadAndEventsAndTail() {
        func text(_ events: [String]) -> String {
            var buffer = BatchBuffer(head: Array(#"{"events":["#.utf8))
            for event in events { Array(event.utf8).withUnsafeBytes { buffer.append($0) } }
            return String(decoding: buffer.finish(), as: UTF8.self)
        }
        #expect(text([]) == #"{"events":[]}"#)
        #expect(text(["1"]) == #"{"events":[1]}"#)
        #expect(text(["1", "{}", "3"]) == #"{"events":[1,{},3]}"#)
    }
}
