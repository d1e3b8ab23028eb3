//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import Testing

struct JournalCompactionTests {
    private static let segment = 4000

    private func payload(_ sequence: UInt64) -> [UInt8] {
        bytes("payload \(sequence) " + String(repeating: "x", count: 80))
    }

    /// Appends frames and acknowledges all but one of so many.
    private func run(_ journal: Journal, _ sequences: ClosedRange<UInt64>, keeping every: UInt64) throws {
        for sequence in sequences {
            #expect(try journal.append(stamp: bytes("s"), payload: self.payload(sequence)) == sequence)
            if sequence.isMultiple(of: 50) {
                try journal.acknowledge((sequence - 49...sequence).filter { $0 % every != 0 })
            }
        }
    }

    private func sequences(_ journal: Journal) throws -> [UInt64] {
        try journal.frames(after: 0, limit: 100_000).map { frame in
            #expect(frame.payload == self.payload(frame.sequence))
            return frame.sequence
        }
    }

    @Test(arguments: [Journal.Storage.automatic, .written])
    func fewFramesThatStayTakeLittleSpace(storage: Journal.Storage) throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, options: .segments(Self.segment, storage))
        try self.run(journal, 1...20_000, keeping: 100)
        let expected = (1...200).map { UInt64($0 * 100) }
        #expect(try self.sequences(journal) == expected)
        // Twice the live bytes and two files; each file may exceed its size by one frame.
        #expect(journal.diskBytes <= 2 * journal.liveBytes + 2 * UInt64(Self.segment + 200) + (256 << 10))
        #expect(try folder.names("journal").count < 60)
        journal.close()
        let again = try Journal(directory: folder.path, options: .segments(Self.segment, storage))
        #expect(try self.sequences(again) == expected)
        #expect(again.recovery.damagedRecords == 0)
        try again.acknowledge(expected)
        #expect(again.liveCount == 0)
        #expect(try folder.names("journal").count <= 2)
    }

    @Test func aCrashAtAnyCallOfACompactionShowsEachFrameOnce() throws {
        for position in 1...40 {
            let folder = try TemporaryFolder()
            let faults = FaultyDisk()
            let journal = try Journal(
                directory: folder.path,
                options: .segments(Self.segment, .written),
                disk: faults.disk
            )
            for sequence in UInt64(1)...400 {
                _ = try journal.append(stamp: bytes("s"), payload: self.payload(sequence))
            }
            // Every call from this one on fails: what is on disk then is what a crash leaves.
            let count = Counter()
            faults.fail { call, _, _ in
                guard call != .read else { return nil }
                return count.next() >= position ? .failure(5) : nil
            }
            let dead = (UInt64(1)...400).filter { $0 % 40 != 0 }
            _ = try errorCode { try journal.acknowledge(dead) }
            let image = try TemporaryFolder(imageOf: folder)
            let again = try Journal(directory: image.path, options: .segments(Self.segment, .written))
            let sequences = try self.sequences(again)
            #expect(sequences == Array(Set(sequences)).sorted(), "call \(position)")
            #expect(Set(sequences).isSuperset(of: (1...10).map { UInt64($0 * 40) }), "call \(position)")
            #expect(again.recovery.damagedRecords == 0, "call \(position)")
        }
    }

    @Test func whatIsAcknowledgedDuringACompactionStaysSo() async throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, options: .segments(Self.segment))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in UInt64(0)..<4 {
                group.addTask {
                    for _ in 0..<2000 {
                        let sequence = try journal.append(stamp: [], payload: bytes("\(part)"))
                        if sequence % 30 != 0 { try journal.acknowledge([sequence]) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let expected = (1...266).map { UInt64($0 * 30) }
        #expect(try journal.frames(after: 0, limit: 10_000).map(\.sequence) == expected)
        journal.close()
        let again = try Journal(directory: folder.path, options: .segments(Self.segment))
        #expect(try again.frames(after: 0, limit: 10_000).map(\.sequence) == expected)
    }
}
