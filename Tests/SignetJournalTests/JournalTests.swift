// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

struct JournalTests {
    private func frame(_ sequence: UInt64) -> Journal.Frame {
        Journal.Frame(sequence: sequence, stamp: bytes("stamp \(sequence)"), payload: bytes("payload \(sequence)"))
    }

    private func fill(_ journal: Journal, _ sequences: ClosedRange<UInt64>) throws {
        for sequence in sequences {
            let frame = self.frame(sequence)
            #expect(try journal.append(stamp: frame.stamp, payload: frame.payload) == sequence)
        }
    }

    @Test(arguments: Journal.Options.Storage.both)
    func framesComeBackInOrderFromOne(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, segmentBytes: 300, storage: storage)
        #expect(try journal.frames(after: 0, limit: 10).isEmpty)
        try self.fill(journal, 1...50)
        #expect(journal.liveCount == 50)
        #expect(try journal.frames(after: 0, limit: 100) == (1...50).map(self.frame))
        #expect(try journal.frames(after: 20, limit: 7) == (21...27).map(self.frame))
        #expect(try journal.frames(after: 49, limit: 7) == [self.frame(50)])
        #expect(try journal.frames(after: 50, limit: 7).isEmpty)
        #expect(try journal.frames(after: .max, limit: 7).isEmpty)
        #expect(try journal.frames(after: 0, limit: 0).isEmpty)
        #expect(try journal.frame(33) == self.frame(33))
        #expect(try journal.frame(0) == nil)
        #expect(try journal.frame(51) == nil)
        journal.close()
        let again = try Journal(directory: folder.path, segmentBytes: 300, storage: storage)
        #expect(again.recovery.records == 50)
        #expect(try again.frames(after: 0, limit: 100) == (1...50).map(self.frame))
        try self.fill(again, 51...52)
    }

    @Test(arguments: Journal.Options.Storage.both)
    func acknowledgedFramesAreNotShownAgain(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, storage: storage)
        try self.fill(journal, 1...10)
        try journal.acknowledge([3, 1, 7, 3, 99, 0])
        try journal.acknowledge([3])
        let live: [UInt64] = [2, 4, 5, 6, 8, 9, 10]
        #expect(journal.liveCount == 7)
        #expect(try journal.frames(after: 0, limit: 100) == live.map(self.frame))
        #expect(try journal.frame(3) == nil)
        journal.close()
        let again = try Journal(directory: folder.path, storage: storage)
        #expect(try again.frames(after: 0, limit: 100) == live.map(self.frame))
        #expect(again.liveCount == 7)
        #expect(try again.frame(3) == nil)
        try again.acknowledge(live)
        #expect(again.liveCount == 0)
        again.close()
        let third = try Journal(directory: folder.path, storage: storage)
        #expect(third.liveCount == 0)
        try self.fill(third, 11...11)
    }

    @Test(arguments: Journal.Options.Storage.both)
    func acknowledgingNothingWritesNothing(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let journal = try Journal(directory: folder.path, storage: storage, disk: faults.disk)
        try self.fill(journal, 1...3)
        try journal.acknowledge([2])
        faults.reset()
        try journal.acknowledge([])
        try journal.acknowledge([2, 4, 0, .max])
        #expect(faults.asked.isEmpty)
    }

    @Test(arguments: Journal.Options.Storage.both)
    func filesWhoseFramesAreAllAcknowledgedAreRemovedOnceSealed(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, segmentBytes: 300, storage: storage)
        try self.fill(journal, 1...40)
        let files = try folder.names("journal")
        #expect(files.count > 5)
        try journal.acknowledge(Array(2...40))
        // The frame that is left was copied, for its file was bigger than its live bytes allow.
        #expect(try folder.names("journal").count == 2)
        #expect(try journal.frames(after: 0, limit: 9) == [self.frame(1)])
        try journal.acknowledge([1])
        #expect(try folder.names("journal") == [files[files.count - 1]])
        journal.close()
        let again = try Journal(directory: folder.path, segmentBytes: 300, storage: storage)
        #expect(again.liveCount == 0)
        try self.fill(again, 41...60)
        #expect(try again.frames(after: 0, limit: 99) == (41...60).map(self.frame))
    }

    @Test(arguments: Journal.Options.Storage.both)
    func acknowledgementsAreFlushedBeforeAFileIsRemoved(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let journal = try Journal(directory: folder.path, segmentBytes: 300, storage: storage, disk: faults.disk)
        try self.fill(journal, 1...20)
        try journal.acknowledge([1])
        faults.reset()
        try journal.acknowledge(Array(2...20))
        let calls = faults.asked.filter { $0.call != .read }
        let write = try #require(calls.firstIndex { $0.call == .write })
        let flush = try #require(calls.firstIndex { $0.call == .sync && $0.name.hasSuffix("acks") })
        let names = try #require(calls.firstIndex { $0.call == .syncFolder })
        let removal = try #require(calls.firstIndex { $0.call == .remove })
        #expect(write < flush && flush < removal && names < removal)
        #expect(calls.last?.call == .syncFolder)
    }

    @Test(arguments: Journal.Options.Storage.both)
    func aFailedFlushOfAcknowledgementsKeepsTheFiles(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let journal = try Journal(directory: folder.path, segmentBytes: 300, storage: storage, disk: faults.disk)
        try self.fill(journal, 1...20)
        let files = try folder.names("journal")
        faults.fail { call, _, _ in call == .sync ? .failure(5) : nil }
        #expect(try errorCode { try journal.acknowledge(Array(1...20)) } == .diskFailed)
        #expect(try folder.names("journal") == files)
        #expect(journal.liveCount == 0)
        faults.reset()
        try self.fill(journal, 21...21)
        try journal.acknowledge([21])
        #expect(try folder.names("journal").count == 1)
        journal.close()
        #expect(try Journal(directory: folder.path, storage: storage).liveCount == 0)
    }

    @Test(arguments: Journal.Options.Storage.both)
    func acknowledgementsAreWrittenAnewBeforeTheyGrowOld(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, segmentBytes: 5000, storage: storage)
        for sequence in UInt64(1)...6000 {
            _ = try journal.append(stamp: [], payload: bytes("\(sequence)"))
            if sequence > 2 { try journal.acknowledge([sequence - 1]) }
        }
        let acks = try folder.names("acks")
        #expect(acks.count == 1)
        #expect(try folder.contents(of: acks[0]).count < 100_000)
        #expect(try folder.names("journal").count <= 3)
        journal.close()
        let again = try Journal(directory: folder.path, storage: storage)
        #expect(try again.frames(after: 0, limit: 9).map(\.sequence) == [1, 6000])
    }

    @Test(arguments: Journal.Options.Storage.both)
    func acknowledgementsWrittenAnewHaveEachRange(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, segmentBytes: 1 << 19, storage: storage)
        let sequences = UInt64(1)...5000
        for sequence in sequences { _ = try journal.append(stamp: [], payload: bytes("\(sequence)")) }
        for sequence in sequences where sequence.isMultiple(of: 2) { try journal.acknowledge([sequence]) }
        #expect(try folder.names("acks") != ["0000000000000001.acks"])
        journal.close()
        let again = try Journal(directory: folder.path, storage: storage)
        #expect(try again.frames(after: 0, limit: 5000).map(\.sequence) == sequences.filter { $0 % 2 == 1 })
    }

    @Test(arguments: Journal.Options.Storage.both)
    func whatIsBeyondALimitIsRefused(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, storage: storage)
        let payload = [UInt8](repeating: 7, count: (16 << 20) - 1)
        let stamp = [UInt8](repeating: 7, count: 255)
        #expect(try errorCode { _ = try journal.append(stamp: stamp, payload: payload + [1]) } == .tooLarge)
        #expect(try errorCode { _ = try journal.append(stamp: stamp + [1], payload: []) } == .tooLarge)
        #expect(try journal.append(stamp: stamp, payload: payload) == 1)
        #expect(try journal.frame(1) == Journal.Frame(sequence: 1, stamp: stamp, payload: payload))
    }

    @Test(arguments: Journal.Options.Storage.both)
    func aFrameBiggerThanAFileFits(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, segmentBytes: 1000, storage: storage)
        let big = [UInt8](repeating: 9, count: 2 << 20)
        for _ in 0..<3 { _ = try journal.append(stamp: [1], payload: big) }
        #expect(try journal.frames(after: 0, limit: 9).allSatisfy { $0.payload == big })
        journal.close()
        #expect(try Journal(directory: folder.path).recovery.records == 3)
    }

    @Test func spaceThatIsReservedAndNotUsedIsNoDamage() throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path)
        for _ in 0..<5 { _ = try journal.append(stamp: bytes("s"), payload: bytes("payload")) }
        let image = try TemporaryFolder(imageOf: folder)
        #expect(try image.contents(of: "0000000000000001.journal").count == 8 << 20)
        let again = try Journal(directory: image.path)
        var report = RecoveryReport()
        report.records = 5
        #expect(again.recovery == report)
        #expect(try image.contents(of: "0000000000000001.journal").count == 80 + 5 * (16 + 8))
        journal.close()
        #expect(try folder.contents(of: "0000000000000001.journal").count == 80 + 5 * (16 + 8))
    }

    @Test(arguments: Journal.Options.Storage.both)
    func aClosedJournalSaysSo(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, storage: storage)
        try self.fill(journal, 1...2)
        journal.close()
        journal.close()
        #expect(try errorCode { _ = try journal.append(stamp: [], payload: []) } == .closed)
        #expect(try errorCode { _ = try journal.frames(after: 0, limit: 1) } == .closed)
        #expect(try errorCode { _ = try journal.frame(1) } == .closed)
        #expect(try errorCode { try journal.acknowledge([1]) } == .closed)
        #expect(try errorCode { try journal.sync() } == .closed)
        #expect(journal.liveCount == 0)
    }

    @Test(arguments: Journal.Options.Storage.both)
    func manyThreadsAppendReadAndAcknowledge(storage: Journal.Options.Storage) async throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, segmentBytes: 2000, storage: storage)
        let seen = Locked([String: Int]())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<3 {
                group.addTask {
                    for number in 0..<400 {
                        _ = try journal.append(stamp: bytes("\(writer)"), payload: bytes("\(number)"))
                    }
                }
            }
            group.addTask {
                var count = 0
                while count < 1200 {
                    let frames = try journal.frames(after: 0, limit: 50)
                    for frame in frames {
                        let writer = String(decoding: frame.stamp, as: UTF8.self)
                        let number = Int(String(decoding: frame.payload, as: UTF8.self))
                        // Each writer's frames come in its order, and each once.
                        let expected = seen.withLock { seen in
                            defer { seen[writer, default: 0] += 1 }
                            return seen[writer, default: 0]
                        }
                        #expect(number == expected)
                    }
                    try journal.acknowledge(frames.map(\.sequence))
                    count += frames.count
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
        #expect(journal.liveCount == 0)
        #expect(try folder.names("journal").count == 1)
    }

    @Test(arguments: Journal.Options.Storage.both)
    func whatAKilledProcessAppendedAndAcknowledgedIsSo(storage: Journal.Options.Storage) async throws {
        let folder = try TemporaryFolder()
        let isWritten = storage == .written
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = folder.path as String, isWritten = isWritten as Bool] in
            let journal = try Journal(directory: path, segmentBytes: 3000, storage: isWritten ? .written : .automatic)
            for number in UInt64(1)...1000 {
                _ = try journal.append(stamp: bytes("s"), payload: bytes("payload \(number)"))
                if number.isMultiple(of: 3) { try journal.acknowledge([number - 1, number]) }
            }
            kill(getpid(), SIGKILL)
        }
        let journal = try Journal(directory: folder.path, storage: storage)
        let expected = (UInt64(1)...1000).filter { $0 % 3 == 1 }
        var report = RecoveryReport()
        report.records = expected.count
        #expect(journal.recovery == report)
        let frames = try journal.frames(after: 0, limit: 2000)
        #expect(frames.map(\.sequence) == expected)
        #expect(frames.allSatisfy { $0.payload == bytes("payload \($0.sequence)") })
    }
}
