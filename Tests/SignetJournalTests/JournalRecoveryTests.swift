// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetTestSupport
import Testing

struct JournalRecoveryTests {
    private static let name = "0000000000000001.journal"

    /// A journal file of seven frames of which some are acknowledged.
    private func makeFolder(_ storage: Journal.Options.Storage) throws -> (folder: TemporaryFolder, offsets: [Int]) {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, storage: storage)
        var offsets = [80]
        for number in UInt64(1)...7 {
            _ = try journal.append(stamp: bytes("s\(number)"), payload: self.payload(number))
            let length = 16 + 2 + self.payload(number).count
            offsets.append(offsets[offsets.count - 1] + length)
        }
        try journal.acknowledge([2, 5])
        journal.close()
        return (folder, offsets)
    }

    private func payload(_ number: UInt64) -> [UInt8] {
        bytes(String(repeating: "payload \(number) ", count: Int(number)))
    }

    private func sequences(_ journal: Journal) throws -> [UInt64] {
        let frames = try journal.frames(after: 0, limit: 100)
        for frame in frames where frame.sequence <= 7 {
            #expect(frame.stamp == bytes("s\(frame.sequence)"))
            #expect(frame.payload == self.payload(frame.sequence))
        }
        #expect(journal.liveCount == frames.count)
        return frames.map(\.sequence)
    }

    @Test(arguments: Journal.Options.Storage.both)
    func aFileThatIsCutAnywhereKeepsAllWholeFramesBefore(storage: Journal.Options.Storage) throws {
        let (original, offsets) = try self.makeFolder(storage)
        let file = try original.contents(of: Self.name)
        for size in stride(from: 80, through: file.count, by: TestScale.count(quick: 5, full: 1)) {
            let folder = try TemporaryFolder(imageOf: original)
            try folder.store(Array(file[..<size]), as: Self.name)
            let whole = try #require(offsets.lastIndex { $0 <= size })
            let expected = [1, 3, 4, 6, 7].filter { $0 <= whole }.map { UInt64($0) }
            let journal = try Journal(directory: folder.path, storage: storage)
            #expect(try self.sequences(journal) == expected, "cut at \(size)")
            // Zeros at the end are no bytes of a frame: reserved space is zero.
            let torn = file[offsets[whole]..<size]
            #expect(journal.recovery.tornBytes == torn.count - torn.reversed().prefix { $0 == 0 }.count)
            // No sequence of a lost frame is given again: the acknowledgements' file knows that there were seven.
            let next = try journal.append(stamp: [], payload: [])
            #expect(next > 7 && next < 20)
            journal.close()
            let again = try Journal(directory: folder.path, storage: storage)
            #expect(try self.sequences(again) == expected + [next])
            #expect(again.recovery.setAsideFiles.isEmpty)
        }
    }

    /// What a kill leaves of a mapped file: the space that was reserved, with zeros from some byte on.
    @Test func aFileThatIsZeroFromAnyByteOnKeepsAllWholeFramesBefore() throws {
        let (original, offsets) = try self.makeFolder(.automatic)
        let file = try original.contents(of: Self.name)
        for size in stride(from: 80, through: file.count, by: TestScale.count(quick: 5, full: 1)) {
            let folder = try TemporaryFolder(imageOf: original)
            try folder.store(Array(file[..<size]) + [UInt8](repeating: 0, count: 5000), as: Self.name)
            let whole = try #require(offsets.lastIndex { $0 <= size })
            let expected = [1, 3, 4, 6, 7].filter { $0 <= whole }.map { UInt64($0) }
            let journal = try Journal(directory: folder.path)
            #expect(try self.sequences(journal) == expected, "zero from \(size) on")
            #expect(journal.recovery.damagedRecords == 0 || size > offsets[whole] + 16)
            #expect(journal.recovery.neverReturned == 0)
            let next = try journal.append(stamp: [], payload: [])
            #expect(next > 7 && next < 20)
            journal.close()
            let again = try Journal(directory: folder.path)
            #expect(try self.sequences(again) == expected + [next])
            #expect(again.recovery.setAsideFiles.isEmpty)
            #expect(again.recovery.tornBytes == 0)
        }
    }

    @Test(arguments: Journal.Options.Storage.both)
    func aFlippedBitCostsAtMostTheFrameThatItIsIn(storage: Journal.Options.Storage) throws {
        let (original, offsets) = try self.makeFolder(storage)
        let file = try original.contents(of: Self.name)
        for position in stride(from: 0, to: file.count, by: TestScale.count(quick: 3, full: 1)) {
            let folder = try TemporaryFolder(imageOf: original)
            var damaged = file
            damaged[position] ^= 1 << UInt8(position % 8)
            try folder.store(damaged, as: Self.name)
            let hit = offsets.lastIndex { $0 <= position }.map { UInt64($0 + 1) }
            let journal = try Journal(directory: folder.path, storage: storage)
            #expect(try self.sequences(journal) == [1, 3, 4, 6, 7].filter { $0 != hit }, "byte \(position)")
            let counted = journal.recovery.damagedRecords == 1 || journal.recovery.tornBytes > 0
            // What a frame says that is acknowledged is of no consequence, so its payload is not looked at.
            let isAcknowledged = hit == 2 || hit == 5
            #expect(counted == (hit != nil) || isAcknowledged, "byte \(position)")
            journal.close()
            let again = try Journal(directory: folder.path, storage: storage)
            #expect(again.recovery.damagedRecords == 0)
            #expect(again.recovery.setAsideFiles.isEmpty)
        }
    }

    @Test(arguments: Journal.Options.Storage.both)
    func theSequenceOfALostFrameIsNotGivenAgain(storage: Journal.Options.Storage) throws {
        let (folder, offsets) = try self.makeFolder(storage)
        try folder.remove("0000000000000001.acks")
        var damaged = try folder.contents(of: Self.name)
        damaged[offsets[5]] ^= 1
        damaged[offsets[6]] ^= 1
        try folder.store(damaged, as: Self.name)
        let journal = try Journal(directory: folder.path, storage: storage)
        #expect(try self.sequences(journal) == Array(1...5))
        #expect(try journal.append(stamp: [], payload: []) > 7)
    }

    @Test(arguments: Journal.Options.Storage.both)
    func damagedAcknowledgementsShowFramesAgainAndHideNone(storage: Journal.Options.Storage) throws {
        let (original, _) = try self.makeFolder(storage)
        let name = "0000000000000001.acks"
        let file = try original.contents(of: name)
        for position in 0..<file.count {
            let folder = try TemporaryFolder(imageOf: original)
            var damaged = file
            damaged[position] ^= 0x10
            try folder.store(damaged, as: name)
            let journal = try Journal(directory: folder.path, storage: storage)
            let sequences = try self.sequences(journal)
            #expect(Set(sequences).isSuperset(of: [1, 3, 4, 6, 7]), "byte \(position)")
            #expect(position >= 80 || sequences.count == 5)
            #expect(try journal.append(stamp: [], payload: []) == 8)
        }
        let folder = try TemporaryFolder(imageOf: original)
        try folder.remove(name)
        #expect(try self.sequences(Journal(directory: folder.path, storage: storage)) == Array(1...7))
    }

    @Test(arguments: Journal.Options.Storage.both)
    func aFrameThatIsDamagedWhileOpenDoesNotHoldUpTheOthers(storage: Journal.Options.Storage) throws {
        let (folder, offsets) = try self.makeFolder(storage)
        let journal = try Journal(directory: folder.path, storage: storage)
        var damaged = try folder.contents(of: Self.name)
        damaged[offsets[3] - 1] ^= 1
        damaged[offsets[6] - 1] ^= 1
        try folder.store(damaged, as: Self.name)
        #expect(try journal.frames(after: 0, limit: 2).map(\.sequence) == [1, 4])
        #expect(journal.damagedFrames == 1)
        #expect(try journal.frame(6) == nil)
        #expect(journal.damagedFrames == 2)
        #expect(try self.sequences(journal) == [1, 4, 7])
        #expect(journal.liveCount == 3)
        #expect(try folder.names("damaged") == ["\(Self.name).damaged"])
    }

    @Test(arguments: Journal.Options.Storage.both)
    func aFileThatIsLostCostsItsFramesAndNoSequenceIsGivenTwice(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, segmentBytes: 1, storage: storage)
        for number in 1...5 {
            _ = try journal.append(stamp: [], payload: bytes("\(number)"))
        }
        journal.close()
        try folder.remove("0000000000000003.journal")
        var again = try Journal(directory: folder.path, segmentBytes: 1, storage: storage)
        #expect(try again.frames(after: 0, limit: 9).map(\.sequence) == [1, 2, 4, 5])
        again.close()
        try folder.store([], as: "0000000000000005.journal")
        again = try Journal(directory: folder.path, segmentBytes: 1, storage: storage)
        #expect(again.recovery.setAsideFiles == ["0000000000000005.journal.aside"])
        #expect(again.recovery.damagedRecords == 1)
        #expect(try again.frames(after: 0, limit: 9).map(\.sequence) == [1, 2, 4])
    }

    @Test(arguments: Journal.Options.Storage.both)
    func anotherVersionIsRefusedAndLeftUntouched(storage: Journal.Options.Storage) throws {
        for (version, code) in TemporaryFolder.otherVersions {
            for suffix in ["journal", "acks"] {
                let (folder, _) = try self.makeFolder(storage)
                let kind = suffix == "acks" ? FileHeader.Kind.acknowledgements : .journal
                var copy = Array(FileHeader(kind: kind, salt: 1, number: 9, base: 1).encoded[..<36])
                copy[8] = version
                var checksum = CRC32C()
                copy.withUnsafeBytes { checksum.update($0) }
                withUnsafeBytes(of: checksum.value.littleEndian) { copy.append(contentsOf: $0) }
                try folder.store(copy + copy, as: "0000000000000009.\(suffix)")
                try folder.store([1], as: "0000000000000008.\(suffix).tmp")
                let names = try folder.names()
                #expect(try errorCode { _ = try Journal(directory: folder.path, storage: storage) } == code)
                #expect(try folder.names() == names)
            }
        }
    }

    @Test(arguments: Journal.Options.Storage.both)
    func fullyAcknowledgedFilesAreRemovedAtTheStart(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        let journal = try Journal(directory: folder.path, segmentBytes: 1, storage: storage, disk: faults.disk)
        for number in 1...5 {
            _ = try journal.append(stamp: [], payload: bytes("\(number)"))
        }
        faults.fail { call, _, _ in call == .remove ? .failure(5) : nil }
        #expect(try errorCode { try journal.acknowledge([1, 2, 3, 4]) } == .diskFailed)
        journal.close()
        #expect(try folder.names("journal").count == 5)
        let again = try Journal(directory: folder.path, segmentBytes: 1, storage: storage)
        #expect(try folder.names("journal") == ["0000000000000005.journal"])
        #expect(again.liveCount == 1)
    }
}
