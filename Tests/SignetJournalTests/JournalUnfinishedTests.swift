// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Frames that a kill left unfinished.
struct JournalUnfinishedTests {
    private static let name = "0000000000000001.journal"
    /// 16 bytes of header, a stamp of 2, a payload of 30.
    private static let length = 48

    private func makeFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path)
        for number in 1...9 {
            _ = try journal.append(stamp: bytes("s\(number)"), payload: [UInt8](repeating: UInt8(number), count: 30))
        }
        journal.close()
        return folder
    }

    /// The file with some frames as a kill may leave them: the checksum is missing, and anything behind the lengths.
    private func unfinish(_ frames: [Int], in folder: TemporaryFolder, from byte: Int) throws {
        var content = try folder.contents(of: Self.name)
        for frame in frames {
            let start = 80 + (frame - 1) * Self.length
            for offset in (byte..<Self.length) { content[start + offset] = 0 }
            for offset in 12..<16 { content[start + offset] = 0 }
        }
        try folder.store(content, as: Self.name)
    }

    @Test(arguments: [0, 4, 10, 12, 16, 17, 18, 40, 48])
    func aHoleBeforeWholeFramesIsSkippedAndCountedAndNothingIsCut(byte: Int) throws {
        let folder = try self.makeFolder()
        try self.unfinish([2, 5, 6], in: folder, from: byte)
        let content = try folder.contents(of: Self.name)
        let journal = try Journal(directory: folder.path)
        #expect(try journal.frames(after: 0, limit: 20).map(\.sequence) == [1, 3, 4, 7, 8, 9])
        #expect(journal.liveCount == 6)
        // Where the lengths of both are lost, two frames side by side are one hole.
        #expect(journal.recovery.neverReturned == (byte < 18 ? 2 : 3))
        #expect(journal.recovery.damagedRecords == 0)
        #expect(journal.recovery.tornBytes == 0)
        #expect(journal.recovery.setAsideFiles.isEmpty)
        #expect(try folder.contents(of: Self.name) == content)
        #expect(try journal.append(stamp: [], payload: []) == 10)
        var sequences: [UInt64] = []
        #expect(try journal.visit(after: 1, limit: 3) { sequence, _, _ in sequences.append(sequence) } == 7)
        #expect(sequences == [3, 4, 7])
        sequences = []
        try journal.read(Array(1...10)) { sequence, _, _ in sequences.append(sequence) }
        #expect(sequences == [1, 3, 4, 7, 8, 9, 10])
        try journal.acknowledge(sequences)
        #expect(journal.liveCount == 0)
        #expect(journal.damagedFrames == 0)
    }

    @Test(arguments: [0, 4, 12, 16, 18, 40, 48])
    func anUnfinishedEndIsTornAndCutOff(byte: Int) throws {
        let folder = try self.makeFolder()
        try self.unfinish([8, 9], in: folder, from: byte)
        let journal = try Journal(directory: folder.path)
        #expect(try journal.frames(after: 0, limit: 20).map(\.sequence) == Array(1...7))
        #expect(journal.recovery.neverReturned == 0)
        #expect(journal.recovery.damagedRecords == 0)
        #expect((journal.recovery.tornBytes > 0) == (byte > 0))
        #expect(try folder.contents(of: Self.name).count == 80 + 7 * Self.length)
        #expect(try journal.append(stamp: [], payload: []) > 7)
        journal.close()
        let again = try Journal(directory: folder.path)
        #expect(again.liveCount == 8)
        #expect(again.recovery.tornBytes == 0)
    }

    @Test func damageIsToldFromWhatWasNeverFinished() throws {
        let folder = try self.makeFolder()
        var content = try folder.contents(of: Self.name)
        // The lengths of frame 3 change, and the payload of frame 6: their checksums are there.
        content[80 + 2 * Self.length] ^= 0xFF
        content[80 + 5 * Self.length + 20] ^= 0xFF
        try folder.store(content, as: Self.name)
        let journal = try Journal(directory: folder.path)
        #expect(journal.recovery.neverReturned == 0)
        #expect(journal.recovery.damagedRecords == 2)
        #expect(try journal.frames(after: 0, limit: 20).map(\.sequence) == [1, 2, 4, 5, 7, 8, 9])
    }

    @Test(arguments: Journal.Options.Storage.both)
    func whatManyThreadsAppendedBeforeAKillIsThere(storage: Journal.Options.Storage) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        let isWritten = storage == .written
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, isWritten = isWritten as Bool] in
            var options = Journal.Options()
            options.segmentBytes = 20_000
            options.storage = isWritten ? .written : .automatic
            let journal = try Journal(directory: path, options: options)
            // What returned, in memory that the parent reads from a file: eight bytes a writer.
            let descriptor = open("\(path)/returned", O_RDWR | O_CREAT, 0o600)
            _ = ftruncate(descriptor, 64)
            await withTaskGroup(of: Void.self) { group in
                for writer in UInt8(0)..<4 {
                    group.addTask {
                        do {
                            for number in UInt64(1)... {
                                let payload = [UInt8](repeating: writer, count: Int(number % 300))
                                _ = try journal.append(stamp: bytes("\(writer) \(number)"), payload: payload)
                                var returned = number.littleEndian
                                _ = pwrite(descriptor, &returned, 8, off_t(writer) * 8)
                                if writer == 0, number == 3000 { kill(getpid(), SIGKILL) }
                            }
                        } catch {
                            exit(1)
                        }
                    }
                }
            }
        }
        let returned = try folder.contents(of: "returned").withUnsafeBytes { buffer in
            (0..<4).map { UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) }
        }
        let journal = try Journal(directory: path)
        #expect(journal.recovery.damagedRecords == 0)
        var counts = [UInt64](repeating: 0, count: 4)
        var last: UInt64 = 0
        for frame in try journal.frames(after: 0, limit: .max) {
            #expect(frame.sequence > last)
            last = frame.sequence
            let parts = String(decoding: frame.stamp, as: UTF8.self).split(separator: " ").compactMap { UInt64($0) }
            let writer = Int(parts[0])
            #expect(parts[1] == counts[writer] + 1)
            counts[writer] = parts[1]
            #expect(frame.payload == [UInt8](repeating: UInt8(writer), count: Int(parts[1] % 300)))
        }
        for writer in 0..<4 {
            // The one that was under way when the kill came may be there too.
            #expect(counts[writer] == returned[writer] || counts[writer] == returned[writer] + 1)
        }
        #expect(returned[0] >= 2999)
    }
}
