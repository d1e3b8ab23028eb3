// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import Testing

struct StateLogSyncTests {
    private func open(_ folder: TemporaryFolder, _ faults: FaultyDisk, fileBytes: Int = 1 << 20) throws -> StateLog {
        var options = StateLog.Options()
        options.disk = faults.disk
        options.fileBytes = fileBytes
        return try StateLog(directory: folder.path, options: options)
    }

    @Test func aFlushCoversFilesAndTheirNamesOnce() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let log = try self.open(folder, faults, fileBytes: 1)
        try log.put(bytes("1"), for: bytes("k"))
        try log.put(bytes("2"), for: bytes("k"))
        faults.reset()
        try log.sync()
        #expect(
            faults.asked.filter { $0.call == .sync }.map(\.name) == ["0000000000000001.log", "0000000000000002.log"]
        )
        #expect(faults.count(.syncFolder) == 1)
        faults.reset()
        try log.sync()
        #expect(faults.asked.isEmpty)
        try log.put(bytes("3"), for: bytes("l"))
        try log.sync()
        #expect(faults.asked.filter { $0.call == .sync }.map(\.name) == ["0000000000000003.log"])
    }

    @Test func whatAnEarlierProcessWroteIsFlushedToo() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        try folder.store(SampleLog().file, as: SampleLog.name)
        let log = try self.open(folder, faults)
        faults.reset()
        try log.sync()
        #expect(faults.asked.filter { $0.call == .sync }.map(\.name) == [SampleLog.name])
        // The process before may have been killed before it flushed the name.
        #expect(faults.count(.syncFolder) == 1)
    }

    @Test func afterAFailedFlushTheFileIsWrittenAgainAndNotFlushedAgain() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let log = try self.open(folder, faults)
        try log.put(bytes("v"), for: bytes("k"))
        try log.put(bytes("w"), for: bytes("l"))
        let inode = try folder.inode(of: SampleLog.name)
        faults.fail { call, _, count in call == .sync && count == 1 ? .failure(5) : nil }
        try log.sync()
        let flushed = faults.asked.filter { $0.call == .sync }.map(\.name)
        #expect(flushed == [SampleLog.name, "\(SampleLog.name).tmp"])
        #expect(try folder.inode(of: SampleLog.name) != inode)
        #expect(try log.value(for: bytes("k")) == bytes("v"))
        try log.put(bytes("x"), for: bytes("k"))
        log.close()
        #expect(try SampleLog.state(of: StateLog(directory: folder.path)) == ["k": "x", "l": "w"])
    }

    @Test func aFlushThatKeepsFailingIsReportedEachTimeAndNeverTriedOnTheSameFile() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let log = try self.open(folder, faults)
        try log.put(bytes("v"), for: bytes("k"))
        faults.fail { call, _, _ in call == .sync ? .failure(5) : nil }
        for _ in 0..<3 {
            #expect(try errorCode { try log.sync() } == .diskFailed)
        }
        let flushed = faults.asked.filter { $0.call == .sync }.map(\.name)
        #expect(flushed == [SampleLog.name] + [String](repeating: "\(SampleLog.name).tmp", count: 3))
        #expect(try log.value(for: bytes("k")) == bytes("v"))
        try log.put(bytes("w"), for: bytes("k"))
        faults.reset()
        try log.sync()
        #expect(faults.asked.filter { $0.call == .sync }.map(\.name) == ["\(SampleLog.name).tmp"])
        #expect(try folder.names("tmp").isEmpty)
        log.close()
        #expect(try SampleLog.state(of: StateLog(directory: folder.path)) == ["k": "w"])
    }

    @Test func aFailedFlushOfTheFolderMakesTheNamesAgain() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let log = try self.open(folder, faults)
        try log.put(bytes("v"), for: bytes("k"))
        let inode = try folder.inode(of: SampleLog.name)
        faults.fail { call, _, count in call == .syncFolder && count == 1 ? .failure(5) : nil }
        try log.sync()
        #expect(faults.count(.syncFolder) == 2)
        #expect(try folder.inode(of: SampleLog.name) != inode)
        faults.reset()
        try log.sync()
        #expect(faults.asked.isEmpty)
    }

    @Test func recordsThatCannotBeReadAfterAFailedFlushAreNotPassedOffAsFlushed() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let log = try self.open(folder, faults)
        try log.put(bytes("value"), for: bytes("k"))
        var content = try folder.contents(of: SampleLog.name)
        content[content.count - 1] ^= 1
        try folder.store(content, as: SampleLog.name)
        faults.fail { call, _, count in call == .sync && count == 1 ? .failure(5) : nil }
        #expect(try errorCode { try log.sync() } == .diskFailed)
        #expect(try errorCode { try log.sync() } == .diskFailed)
    }

    @Test func manyCallersShareFlushes() async throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let log = try self.open(folder, faults)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<50 {
                        try log.put(bytes("\(number)"), for: bytes("\(task)"))
                        try log.sync()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(faults.count(.sync) <= 400)
        let before = faults.count(.sync)
        try log.sync()
        #expect(faults.count(.sync) == before)
    }
}
