// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SignetJournal
import SignetLock
import SignetTestSupport
import Testing

#if canImport(Glibc)
import Glibc

/// While the medium stands still, calls that promise nothing about it go on.
///
/// Each test lets the disk go at its end before it awaits its threads, also when it fails.
@Suite(.watched)
struct HeldDiskTests {
    private static let slow: Set<Disk.Call> = [.sync, .syncFolder, .remove, .open, .reserve, .rename, .map, .truncate]
    private static let log = "0000000000000001.log"
    private static let acknowledgements = "0000000000000001.acks"

    private func open(_ folder: TemporaryFolder, _ disk: HeldDisk, segmentBytes: Int) throws -> Journal {
        let queue = DispatchQueue(label: "upkeep")
        var options = Journal.Options()
        options.segmentBytes = segmentBytes
        options.aside = { work in queue.async(execute: work) }
        return try Journal(directory: folder.path, options: options, disk: disk.disk)
    }

    private static func append(_ journal: Journal) throws -> UInt64 {
        try journal.append(stamp: bytes("1234"), payload: [UInt8](repeating: 7, count: 80))
    }

    @Test func callsOfAJournalReturnDuringAFlush() async throws {
        let folder = try TemporaryFolder()
        let disk = HeldDisk()
        let journal = try self.open(folder, disk, segmentBytes: 2000)
        // The file for acknowledgements is there, and the next one for frames.
        for _ in 1...19 { _ = try Self.append(journal) }
        try journal.acknowledge([1])
        try await until("the next file") { try folder.names("journal").count == 2 }
        disk.apply { Self.slow.contains($0.call) ? .hold : nil }
        async let flushed: Void = ownThread { try journal.sync() }
        defer { disk.letGo() }
        await until("a held flush") { !disk.held.isEmpty }
        try await ownThread {
            for _ in 20...38 { _ = try Self.append(journal) }
            try journal.acknowledge(Array(2...19))
            #expect(journal.liveCount == 19)
            var visited: [UInt64] = []
            _ = try journal.visit(after: 0, limit: 100) { sequence, _, _ in visited.append(sequence) }
            #expect(visited == Array(20...38))
            var read = 0
            try journal.read(visited) { _, _, payload in read += payload.count }
            #expect(read == 19 * 80)
            #expect(journal.syncedSequence == 0)
        }
        // Nothing but the flush has come to the medium.
        #expect(disk.held.map(\.call) == [.sync])
        disk.letGo()
        try await flushed
        #expect(journal.syncedSequence >= 19)
        try await until("the removal") { try !folder.names().contains("0000000000000001.journal") }
        journal.close()
        let again = try Journal(directory: folder.path)
        #expect(try again.frames(after: 0, limit: 100).map(\.sequence) == Array(20...38))
        #expect(again.recovery.damagedRecords == 0)
    }

    @Test func tasksOfTheCooperativePoolGoOn() async throws {
        let folder = try TemporaryFolder()
        let disk = HeldDisk()
        let journal = try self.open(folder, disk, segmentBytes: 1 << 20)
        try journal.acknowledge([try Self.append(journal)])
        disk.apply { Self.slow.contains($0.call) ? .hold : nil }
        async let flushed: Void = ownThread { try journal.sync() }
        defer { disk.letGo() }
        await until("a held flush") { !disk.held.isEmpty }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    for _ in 0..<20 {
                        let sequence = try Self.append(journal)
                        await Task.yield()
                        if sequence.isMultiple(of: 2) { try journal.acknowledge([sequence]) }
                        _ = journal.liveCount
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(disk.held.map(\.call) == [.sync])
        disk.letGo()
        try await flushed
        #expect(journal.liveCount == 640)
    }

    @Test func changesGoOnWhileDueRecordsAreRead() async throws {
        let folder = try TemporaryFolder()
        let disk = HeldDisk()
        var options = StateLog.Options()
        options.disk = disk.disk
        let log = try StateLog(directory: folder.path, options: options)
        for number in 0..<2000 { try SampleLog.put("due \(number)", for: "key \(number)", in: log) }
        disk.apply { $0.call == .read ? .hold : nil }
        async let found: Int = ownThread {
            try (0..<StateLog.duePartCount).reduce(0) { try $0 + log.dueRecords(part: $1).count }
        }
        defer { disk.letGo() }
        await until("a held read") { !disk.held.isEmpty }
        for number in 2000..<4000 { try SampleLog.put("due \(number)", for: "key \(number)", in: log) }
        try log.remove(bytes("key 3000"))
        #expect(log.dueCount == 3999)
        #expect(disk.held.map(\.call) == [.read])
        disk.letGo()
        // The first part is as of its call, the others as of theirs.
        let count = try await found
        #expect((3900...3999).contains(count))
        #expect(try SampleLog.due(in: log).count == 3999)
    }

    @Test func theCloseWaitsForWorkThatRuns() async throws {
        let folder = try TemporaryFolder()
        let disk = HeldDisk()
        let journal = try self.open(folder, disk, segmentBytes: 2000)
        for _ in 1...30 { _ = try Self.append(journal) }
        disk.apply { $0.call == .remove ? .hold : nil }
        try journal.acknowledge(Array(1...19))
        await until("a held removal") { !disk.held.isEmpty }
        let events = Locked<[String]>([])
        async let closed: Void = ownThread {
            journal.close()
            events.withLock { $0.append("closed") }
        }
        defer { disk.letGo() }
        try await until("the close") {
            try errorCode { _ = try journal.visit(after: 0, limit: 1) { _, _, _ in } } == .closed
        }
        events.withLock { $0.append("let go") }
        disk.letGo()
        try await closed
        #expect(events.withLock { $0 } == ["let go", "closed"])
        let names = try folder.names("journal")
        #expect(names.count == 1 && !names.contains("0000000000000001.journal"))
    }

    @Test func acknowledgementsDuringTheReplacementOfTheirFileAreKept() async throws {
        let folder = try TemporaryFolder()
        let disk = HeldDisk()
        let journal = try self.open(folder, disk, segmentBytes: 1 << 20)
        for _ in 1...30 { _ = try Self.append(journal) }
        try journal.acknowledge([1, 2, 3])
        disk.apply { request in
            guard request.call == .sync else { return nil }
            if request.name == Self.acknowledgements { return .fail(EIO) }
            return request.name == "\(Self.acknowledgements).tmp" ? .hold : nil
        }
        async let flushed: Void = ownThread { try journal.sync() }
        defer { disk.letGo() }
        await until("a held copy") { !disk.held.isEmpty }
        try await ownThread {
            try journal.acknowledge([4, 5])
            _ = try Self.append(journal)
        }
        disk.letGo()
        try await flushed
        try journal.acknowledge([6])
        let image = try TemporaryFolder(imageOf: folder)
        #expect(try Journal(directory: image.path).frames(after: 0, limit: 99).map(\.sequence) == Array(7...31))
        try journal.sync()
        journal.close()
        let again = try Journal(directory: folder.path)
        #expect(try again.frames(after: 0, limit: 99).map(\.sequence) == Array(7...31))
        #expect(try folder.names("tmp").isEmpty)
    }

    @Test func acknowledgementsGoOnWhileTheirNextFileIsMade() async throws {
        let folder = try TemporaryFolder()
        let disk = HeldDisk()
        let journal = try self.open(folder, disk, segmentBytes: 1 << 18)
        for _ in 1...2000 { _ = try Self.append(journal) }
        disk.apply { $0.call == .rename && $0.name.hasSuffix(".acks.tmp") && $0.name.contains("2") ? .hold : nil }
        defer { disk.letGo() }
        // Each takes 40 bytes, and they are written anew beyond 64 KiB.
        for sequence in UInt64(1)...1700 { try journal.acknowledge([sequence]) }
        await until("a held file") { !disk.held.isEmpty }
        try journal.acknowledge(Array(1701...1800))
        #expect(journal.liveCount == 200)
        disk.letGo()
        try await until("the removal") { try folder.names("acks") == ["0000000000000002.acks"] }
        journal.close()
        let again = try Journal(directory: folder.path)
        #expect(try again.frames(after: 0, limit: .max).map(\.sequence) == Array(1801...2000))
    }

    /// Lets a flush of a log fail, and holds the copy that replaces its file.
    private func holdReplacement(_ disk: HeldDisk) {
        disk.apply { request in
            guard request.call == .sync else { return nil }
            if request.name == Self.log { return .fail(EIO) }
            return request.name == "\(Self.log).tmp" ? .hold : nil
        }
    }

    @Test(arguments: [true, false])
    func changesDuringTheReplacementOfALogAreKept(isFailing: Bool) async throws {
        let folder = try TemporaryFolder()
        let disk = HeldDisk()
        var options = StateLog.Options()
        options.disk = disk.disk
        let log = try StateLog(directory: folder.path, options: options)
        for number in 1...5 { try log.put(bytes("old"), for: bytes("key \(number)")) }
        self.holdReplacement(disk)
        async let code = ownThread { try errorCode { try log.sync() } }
        defer { disk.letGo() }
        await until("a held copy") { !disk.held.isEmpty }
        try await ownThread {
            try log.put(bytes("new"), for: bytes("key 1"))
            try log.remove(bytes("key 2"))
            #expect(try log.value(for: bytes("key 1")) == bytes("new"))
            #expect(try log.value(for: bytes("key 3")) == bytes("old"))
        }
        disk.letGo { request in isFailing && request.call == .rename ? .fail(EIO) : nil }
        #expect(try await code == (isFailing ? .diskFailed : nil))
        disk.letGo()
        try log.put(bytes("newer"), for: bytes("key 3"))
        let expected = ["key 1": "new", "key 3": "newer", "key 4": "old", "key 5": "old"]
        let image = try TemporaryFolder(imageOf: folder)
        #expect(try SampleLog.state(of: StateLog(directory: image.path)) == expected)
        try log.sync()
        #expect(try SampleLog.state(of: log) == expected)
        log.close()
        #expect(try SampleLog.state(of: StateLog(directory: folder.path)) == expected)
        #expect(try folder.names("tmp").isEmpty)
    }

    @Test func anErasureDuringAReplacementLeavesNoOldFile() async throws {
        let folder = try TemporaryFolder()
        let disk = HeldDisk()
        var options = StateLog.Options()
        options.disk = disk.disk
        let log = try StateLog(directory: folder.path, options: options)
        try log.put(bytes("wanted"), for: bytes("key"))
        try log.put(bytes("other"), for: bytes("other key"))
        self.holdReplacement(disk)
        async let flushed: Void = ownThread { try log.sync() }
        defer { disk.letGo() }
        await until("a held copy") { !disk.held.isEmpty }
        try log.remove(bytes("key"))
        async let copies = ownThread { try log.erase() }
        defer { disk.letGo() }
        try await until("the snapshot") { try !folder.names("snapshot").isEmpty }
        disk.letGo()
        try await flushed
        #expect(try await copies == 0)
        #expect(try folder.names("log", "tmp").isEmpty)
        try log.put(bytes("later"), for: bytes("key"))
        let state = ["key": "later", "other key": "other"]
        #expect(try SampleLog.state(of: log) == state)
        log.close()
        #expect(try SampleLog.state(of: StateLog(directory: folder.path)) == state)
    }
}
#endif
