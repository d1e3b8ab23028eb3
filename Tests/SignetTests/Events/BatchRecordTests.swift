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
            removals: 1 << 40
        )
    }

    @Test func whatIsWrittenIsRead() {
        for sequences in [[], [1], [1, .max]] as [[UInt64]] {
            for content in [.head([]), .whole([7, 8])] as [BatchRecord.Content] {
                let record = self.record(sequences, content)
                #expect(BatchRecord(record.encoded()) == record)
            }
        }
    }

    @Test func aRecordOfVersion2IsReadForEver() throws {
        var bytes = self.record().encoded()
        bytes[0] = 2
        // One that knew no removals.
        bytes.removeSubrange(38..<46)
        let record = try #require(BatchRecord(bytes))
        #expect(record.removals == 0)
        #expect(record.sequences.prefix(9) == [3, 4, 9])
        #expect(record.content == .head([1, 2]))
    }

    @Test func bytesThatEndTooSoonAreNone() {
        let bytes = self.record([3, 4, 9], .head([])).encoded()
        for count in 0..<bytes.count { #expect(BatchRecord(Array(bytes.prefix(count))) == nil) }
    }

    @Test func aCountBeyondTheBytesIsNoneAndTakesNoMemory() {
        var bytes = self.record([], .head([])).encoded()
        bytes.replaceSubrange(bytes.count - 4..<bytes.count, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(BatchRecord(bytes) == nil)
        bytes[0] = 4
        #expect(BatchRecord(bytes) == nil)
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
