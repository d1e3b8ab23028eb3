//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import Testing

/// What is different where frames are copied into a mapped file.
struct JournalMappingTests {
    private static let name = "0000000000000001.journal"

    private func journal(_ folder: TemporaryFolder, _ faults: FaultyDisk? = nil) throws -> Journal {
        try Journal(directory: folder.path, options: .segments(1 << 20), disk: faults?.disk ?? Disk())
    }

    @Test func zerosAheadOfTheFramesAreNoDamage() throws {
        let folder = try TemporaryFolder()
        let journal = try self.journal(folder)
        for _ in 0..<5 { _ = try journal.append(stamp: bytes("s"), payload: bytes("payload")) }
        let image = try TemporaryFolder(imageOf: folder)
        #expect(try image.contents(of: Self.name).count > 60_000)
        let again = try self.journal(image)
        var report = RecoveryReport()
        report.records = 5
        #expect(again.recovery == report)
        #expect(try again.append(stamp: [], payload: bytes("next")) == 6)
        #expect(try again.frames(after: 0, limit: 9).count == 6)
        journal.close()
        #expect(try folder.contents(of: Self.name).count == 80 + 5 * (18 + 8))
    }

    @Test func aFrameThatWasNeverFinishedIsAHoleIfOthersFollow() throws {
        let folder = try TemporaryFolder()
        let journal = try self.journal(folder)
        for number in 1...3 { _ = try journal.append(stamp: bytes("s"), payload: bytes("payload \(number)")) }
        journal.close()
        // The header is written last: without it there is what a kill leaves in the middle of an append.
        var content = try folder.contents(of: Self.name)
        let second = 80 + 18 + 10
        content.replaceSubrange(second..<second + 18, with: [UInt8](repeating: 0, count: 18))
        try folder.store(content, as: Self.name)
        let again = try self.journal(folder)
        #expect(try again.frames(after: 0, limit: 9).map(\.sequence) == [1, 3])
        #expect(again.recovery.neverReturned == 1)
        #expect(again.recovery.damagedRecords == 0)
        #expect(again.recovery.tornBytes == 0)
        again.close()
        #expect(try folder.contents(of: Self.name) == content)
    }

    @Test func aFullDiskIsAnErrorAndServiceResumes() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let journal = try self.journal(folder, faults)
        _ = try journal.append(stamp: [], payload: bytes("first"))
        faults.fail { call, _, _ in call == .write ? .failure(28) : nil }
        let big = [UInt8](repeating: 1, count: 40_000)
        _ = try journal.append(stamp: [], payload: big)
        #expect(try errorCode { _ = try journal.append(stamp: [], payload: big) } == .diskFull)
        #expect(try errorCode { _ = try journal.append(stamp: [], payload: big) } == .diskFull)
        #expect(journal.liveCount == 2)
        faults.reset()
        #expect(try journal.append(stamp: [], payload: big) == 3)
        journal.close()
        #expect(try self.journal(folder).liveCount == 3)
    }

    @Test func whereNothingCanBeMappedFramesAreWritten() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        faults.fail { call, _, _ in call == .map ? .failure(19) : nil }
        let journal = try self.journal(folder, faults)
        for _ in 0..<5 { _ = try journal.append(stamp: bytes("s"), payload: bytes("payload")) }
        #expect(try folder.contents(of: Self.name).count == 80 + 5 * (18 + 8))
        #expect(try journal.frames(after: 0, limit: 9).count == 5)
    }

    @Test func afterAFailedFlushTheFramesAreWrittenAgainElsewhere() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let journal = try self.journal(folder, faults)
        for _ in 0..<5 { _ = try journal.append(stamp: bytes("s"), payload: bytes("payload")) }
        let before = try folder.inode(of: Self.name)
        faults.fail { call, _, count in call == .sync && count == 1 ? .failure(5) : nil }
        try journal.sync()
        #expect(try folder.inode(of: Self.name) != before)
        for _ in 0..<5 { _ = try journal.append(stamp: bytes("s"), payload: bytes("payload")) }
        #expect(try journal.frames(after: 0, limit: 20).count == 10)
        journal.close()
        #expect(try self.journal(folder).recovery.records == 10)
    }

    @Test func aFlushThatCoversACallerIsNotMadeAgain() throws {
        let folder = try TemporaryFolder()
        let journal = try self.journal(folder)
        _ = try journal.append(stamp: [], payload: bytes("one"))
        try journal.sync()
        let count = journal.syncCount
        try journal.sync()
        #expect(journal.syncCount == count)
        _ = try journal.append(stamp: [], payload: bytes("two"))
        try journal.sync()
        #expect(journal.syncCount == count + 1)
    }

    @Test func aFrameBiggerThanAFileFits() throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, options: .segments(1000))
        let big = [UInt8](repeating: 9, count: 2 << 20)
        for _ in 0..<3 { _ = try journal.append(stamp: [1], payload: big) }
        #expect(try journal.frames(after: 0, limit: 9).allSatisfy { $0.payload == big })
        journal.close()
        #expect(try Journal(directory: folder.path).recovery.records == 3)
    }
}
