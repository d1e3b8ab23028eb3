// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import Testing

/// What a start does with files that should not be there, or not be so.
struct StateLogFilesTests {
    @Test func anotherVersionIsRefusedAndLeftUntouched() throws {
        let sample = try SampleLog()
        let kinds = [(FileHeader.Kind.log, "log"), (.snapshot, "snapshot")]
        for (version, code) in [(UInt8(3), StorageError.Code.newerFormat), (0, .olderFormat)] {
            for (kind, suffix) in kinds {
                let folder = try TemporaryFolder()
                // A torn end, an unfinished file and an empty one: none of them may be tidied up.
                try folder.store(sample.file + [1, 2, 3], as: SampleLog.name)
                try folder.store([], as: "0000000000000002.log")
                try folder.store([9], as: "0000000000000003.log.tmp")
                var copy = Array(FileHeader(kind: kind, salt: 1, number: 4, base: 1).encoded[..<36])
                copy[8] = version
                var checksum = CRC32C()
                copy.withUnsafeBytes { checksum.update($0) }
                withUnsafeBytes(of: checksum.value.littleEndian) { copy.append(contentsOf: $0) }
                try folder.store(copy + copy + bytes("who knows"), as: "0000000000000004.\(suffix)")
                let names = try folder.names()
                let contents = try names.map { try folder.contents(of: $0) }
                #expect(try errorCode { _ = try StateLog(directory: folder.path) } == code)
                #expect(try names.map { try folder.contents(of: $0) } == contents)
                #expect(try folder.names().filter { $0 != "state.lock" } == names)
            }
        }
    }

    @Test func aKindOfANewerVersionThatIsUnknownIsRefusedToo() throws {
        let folder = try TemporaryFolder()
        var copy = bytes("SGNT.new") + [3, 0] + [UInt8](repeating: 0, count: 26)
        var checksum = CRC32C()
        copy.withUnsafeBytes { checksum.update($0) }
        withUnsafeBytes(of: checksum.value.littleEndian) { copy.append(contentsOf: $0) }
        try folder.store(copy + copy, as: "0000000000000001.log")
        #expect(try errorCode { _ = try StateLog(directory: folder.path) } == .newerFormat)
    }

    @Test func aFileOfVersion1IsReadAndTakesNoMoreFrames() throws {
        let folder = try TemporaryFolder()
        let old = FormatTests.logHeader + FormatTests.frames.joined()
        try folder.store(old + [1, 2, 3], as: SampleLog.name)
        for round in 1...2 {
            let log = try StateLog(directory: folder.path)
            #expect(log.recovery.tornBytes == (round == 1 ? 3 : 0))
            try SampleLog.put("due \(round)", for: "k\(round + 2)", in: log)
            #expect(try folder.contents(of: SampleLog.name) == old)
            log.close()
        }
        let log = try StateLog(directory: folder.path)
        #expect(try SampleLog.state(of: log) == ["k2": "two", "k3": "due 1", "k4": "due 2"])
        #expect(try folder.names("log") == [SampleLog.name, "0000000000000002.log"])
        try log.compact()
        #expect(try folder.names("log", "snapshot") == ["0000000000000003.snapshot"])
        let content = try folder.contents(of: "0000000000000003.snapshot")
        guard case .known(let header) = FileHeader.read(content) else {
            Issue.record("The snapshot has no header.")
            return
        }
        #expect(header.version == 2)
    }

    @Test func emptyFilesAndFilesWithoutAHeaderAreSetAsideOnce() throws {
        let sample = try SampleLog()
        let folder = try TemporaryFolder()
        try folder.store(sample.file, as: SampleLog.name)
        try folder.store([], as: "0000000000000002.log")
        try folder.store(
            bytes("no header, but long enough for one, if only the bytes were others than these"),
            as: "0000000000000003.log"
        )
        try folder.store([UInt8](repeating: 0, count: 4096), as: "0000000000000004.snapshot")
        let log = try StateLog(directory: folder.path)
        let aside = ["0000000000000002.log.aside", "0000000000000003.log.aside", "0000000000000004.snapshot.aside"]
        #expect(log.recovery.setAsideFiles == aside)
        #expect(try SampleLog.state(of: log) == sample.state { _ in true })
        try log.put(bytes("v"), for: bytes("k"))
        log.close()
        let again = try StateLog(directory: folder.path)
        #expect(again.recovery.setAsideFiles.isEmpty)
        #expect(try folder.names("aside") == aside)
    }

    @Test func aFileUnderAnotherNumberIsSetAside() throws {
        let sample = try SampleLog()
        let folder = try TemporaryFolder()
        try folder.store(sample.file, as: SampleLog.name)
        try folder.store(Array(sample.file[..<sample.offsets[1]]), as: "0000000000000009.log")
        try folder.store(sample.file, as: "0000000000000001.snapshot")
        let log = try StateLog(directory: folder.path)
        #expect(log.recovery.setAsideFiles == ["0000000000000001.snapshot.aside", "0000000000000009.log.aside"])
        #expect(try SampleLog.state(of: log) == sample.state { _ in true })
    }

    @Test func numbersAreNeverUsedAgain() throws {
        let folder = try TemporaryFolder()
        try folder.store([], as: "00000000000000ff.log")
        let log = try StateLog(directory: folder.path)
        try log.put(bytes("v"), for: bytes("k"))
        #expect(try folder.names("log") == ["0000000000000100.log"])
        log.close()
        try folder.remove("0000000000000100.log")
        let again = try StateLog(directory: folder.path)
        try again.put(bytes("v"), for: bytes("k"))
        #expect(try folder.names("log") == ["0000000000000100.log"])
    }

    @Test func unfinishedFilesAreRemoved() throws {
        let sample = try SampleLog()
        let folder = try TemporaryFolder()
        try folder.store(sample.file, as: SampleLog.name)
        try folder.store(sample.file, as: "0000000000000002.snapshot.tmp")
        try folder.store([], as: "0000000000000003.log.tmp")
        let log = try StateLog(directory: folder.path)
        #expect(try folder.names("tmp").isEmpty)
        #expect(log.recovery.setAsideFiles.isEmpty)
        #expect(try SampleLog.state(of: log) == sample.state { _ in true })
    }

    @Test func aMissingFileInTheMiddleCostsOnlyItsRecords() throws {
        let folder = try TemporaryFolder()
        var options = StateLog.Options()
        options.fileBytes = 1
        let log = try StateLog(directory: folder.path, options: options)
        for number in 0..<5 {
            try log.put(bytes("v\(number)"), for: bytes("k\(number)"))
        }
        log.close()
        try folder.remove("0000000000000003.log")
        let again = try StateLog(directory: folder.path)
        #expect(try SampleLog.state(of: again) == ["k0": "v0", "k1": "v1", "k3": "v3", "k4": "v4"])
    }

    @Test func aReadErrorAtTheStartIsReportedAndNothingIsCut() throws {
        let sample = try SampleLog()
        let folder = try TemporaryFolder()
        try folder.store(sample.file, as: SampleLog.name)
        let faults = FaultyDisk()
        faults.fail { call, _, count in call == .read && count == 2 ? .failure(5) : nil }
        var options = StateLog.Options()
        options.disk = faults.disk
        #expect(try errorCode { _ = try StateLog(directory: folder.path, options: options) } == .diskFailed)
        faults.reset()
        let log = try StateLog(directory: folder.path, options: options)
        #expect(try SampleLog.state(of: log) == sample.state { _ in true })
        #expect(try folder.contents(of: SampleLog.name) == sample.file)
    }

    @Test func anErrorNamesThePathAndNoValue() throws {
        let folder = try TemporaryFolder()
        let faults = FaultyDisk()
        var options = StateLog.Options()
        options.disk = faults.disk
        let log = try StateLog(directory: folder.path, options: options)
        try log.put(bytes("v"), for: bytes("k"))
        faults.fail { call, _, _ in call == .write ? .failure(28) : nil }
        let error = #expect(throws: StorageError.self) {
            try log.put(bytes("secret value"), for: bytes("customer@example.com"))
        }
        #expect(error?.code == .diskFull)
        #expect(error?.errno == 28)
        #expect(error?.path == folder.path(of: SampleLog.name))
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains(folder.path) && text.contains("No space left") && text.contains("Free some space"))
        #expect(!text.contains("customer") && !text.contains("secret"))
    }
}
