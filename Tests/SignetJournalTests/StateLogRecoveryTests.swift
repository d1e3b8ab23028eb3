// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import Testing

struct StateLogRecoveryTests {
    private func openTwice(_ folder: TemporaryFolder) throws -> (first: RecoveryReport, second: RecoveryReport) {
        let log = try StateLog(directory: folder.path)
        let state = try SampleLog.state(of: log)
        #expect(log.recovery.records == state.count)
        log.close()
        let again = try StateLog(directory: folder.path)
        #expect(try SampleLog.state(of: again) == state)
        defer { again.close() }
        return (log.recovery, again.recovery)
    }

    private func expectCleanAndUsable(_ folder: TemporaryFolder) throws {
        let log = try StateLog(directory: folder.path)
        var clean = RecoveryReport()
        clean.records = log.count
        #expect(log.recovery == clean)
        let before = try SampleLog.state(of: log)
        try log.put(bytes("new"), for: bytes("new"))
        log.close()
        let again = try StateLog(directory: folder.path)
        #expect(try SampleLog.state(of: again) == before.merging(["new": "new"]) { $1 })
    }

    @Test func aFileThatIsCutAnywhereKeepsAllWholeFramesBefore() throws {
        let sample = try SampleLog()
        for size in 0...sample.file.count {
            let folder = try TemporaryFolder()
            try folder.store(Array(sample.file[..<size]), as: SampleLog.name)
            let log = try StateLog(directory: folder.path)
            let whole = sample.offsets.lastIndex { $0 <= size }
            #expect(try SampleLog.state(of: log) == sample.state { $0 < whole ?? 0 }, "cut at \(size)")
            var report = RecoveryReport()
            report.records = log.count
            if whole == nil {
                report.setAsideFiles = ["\(SampleLog.name).aside"]
                report.damagedRecords = 1
                #expect(try folder.contents(of: "\(SampleLog.name).aside") == Array(sample.file[..<size]))
            } else if let end = sample.offsets.last(where: { $0 <= size }), end < size {
                report.tornBytes = size - end
                report.setAsideFiles = ["\(SampleLog.name).torn"]
                let aside = try folder.contents(of: "\(SampleLog.name).torn")
                #expect(aside.suffix(size - end) == sample.file[end..<size])
                #expect(try folder.contents(of: SampleLog.name).count == end)
            }
            #expect(log.recovery == report, "cut at \(size)")
            log.close()
            try self.expectCleanAndUsable(folder)
        }
    }

    @Test func aSealedFileThatIsCutAnywhereIsDamagedAndLeftAsItIs() throws {
        let sample = try SampleLog()
        let later = FileHeader(kind: .log, salt: 9, number: 2, base: 100).encoded
        for size in SampleLog.headerSize...sample.file.count {
            let folder = try TemporaryFolder()
            try folder.store(Array(sample.file[..<size]), as: SampleLog.name)
            try folder.store(later, as: "0000000000000002.log")
            let reports = try self.openTwice(folder)
            let isDamaged = !sample.offsets.contains(size)
            #expect(reports.first.damagedRecords == (isDamaged ? 1 : 0), "cut at \(size)")
            #expect(reports.first.setAsideFiles == (isDamaged ? ["\(SampleLog.name).damaged"] : []))
            #expect(reports.first.tornBytes == 0)
            #expect(try folder.contents(of: SampleLog.name).count == size)
            try self.expectCleanAndUsable(folder)
        }
    }

    @Test func aFlippedBitCostsAtMostTheFrameThatItIsIn() throws {
        let sample = try SampleLog()
        for position in sample.file.indices {
            for mask: UInt8 in [1 << UInt8(position % 8), 0xFF] {
                let folder = try TemporaryFolder()
                var damaged = sample.file
                damaged[position] ^= mask
                try folder.store(damaged, as: SampleLog.name)
                let log = try StateLog(directory: folder.path)
                let frame = sample.frame(of: position)
                let place = "byte \(position), mask \(mask)"
                #expect(try SampleLog.state(of: log) == sample.state { $0 != frame }, "\(place)")
                let isLast = frame == sample.operations.count - 1
                let isCounted = log.recovery.damagedRecords == 1 || isLast && log.recovery.tornBytes > 0
                #expect(isCounted == (frame != nil), "\(place)")
                #expect(log.recovery.setAsideFiles.count == (frame == nil ? 0 : 1), "\(place)")
                log.close()
                try self.expectCleanAndUsable(folder)
            }
        }
    }

    @Test func afterADamagedValueTheRecordBeforeIsValidAgain() throws {
        let sample = try SampleLog()
        let folder = try TemporaryFolder()
        var damaged = sample.file
        damaged[sample.offsets[3] - 1] ^= 1  // the second value of "a"
        damaged[sample.offsets[4] - 1] ^= 1  // the first value of "c", which has a newer one
        damaged[sample.offsets[7] - 1] ^= 1  // the only value of "dd"
        try folder.store(damaged, as: SampleLog.name)
        let reports = try self.openTwice(folder)
        #expect(reports.first.damagedRecords == 3)
        #expect(reports.first.setAsideFiles == ["\(SampleLog.name).damaged"])
        #expect(reports.second.damagedRecords == 0)
        let log = try StateLog(directory: folder.path)
        #expect(try log.value(for: bytes("a")) == bytes("first value of a"))
        #expect(try log.value(for: bytes("dd")) == nil)
        #expect(try folder.contents(of: SampleLog.name) == damaged)
    }

    @Test func copiesOfDamagedBytesAreInTheAsideFile() throws {
        let sample = try SampleLog()
        let folder = try TemporaryFolder()
        var damaged = sample.file
        damaged[sample.offsets[1] - 1] ^= 1
        damaged[sample.offsets[2]] ^= 1
        try folder.store(damaged, as: SampleLog.name)
        _ = try self.openTwice(folder)
        let aside = try folder.contents(of: "\(SampleLog.name).damaged")
        #expect(aside.count == 80 + 24 + sample.operations[0].length + 24 + sample.operations[2].length)
        #expect(aside[104...].starts(with: damaged[sample.offsets[0]..<sample.offsets[1]]))
        #expect(aside.suffix(sample.operations[2].length) == damaged[sample.offsets[2]..<sample.offsets[3]])
        #expect(try folder.mode(of: "\(SampleLog.name).damaged") == 0o600)
    }

    @Test func aHoleOfZerosIsOneGap() throws {
        let sample = try SampleLog()
        let folder = try TemporaryFolder()
        var damaged = sample.file
        damaged.replaceSubrange(
            sample.offsets[1] + 5..<sample.offsets[3] + 7,
            with: [UInt8](repeating: 0, count: sample.offsets[3] + 7 - sample.offsets[1] - 5)
        )
        try folder.store(damaged, as: SampleLog.name)
        let log = try StateLog(directory: folder.path)
        #expect(try SampleLog.state(of: log) == sample.state { ![1, 2, 3].contains($0) })
        #expect(log.recovery.damagedRecords == 1)
    }

    @Test func aTailOfZerosIsCutOff() throws {
        let sample = try SampleLog()
        let folder = try TemporaryFolder()
        try folder.store(sample.file + [UInt8](repeating: 0, count: 5000), as: SampleLog.name)
        let log = try StateLog(directory: folder.path)
        #expect(try SampleLog.state(of: log) == sample.state { _ in true })
        #expect(log.recovery.tornBytes == 5000)
        #expect(try folder.contents(of: SampleLog.name) == sample.file)
    }

    @Test func bytesOfAnotherFileAreNeverTakenForFrames() throws {
        let one = try SampleLog()
        let other = try SampleLog()
        let folder = try TemporaryFolder()
        try folder.store(one.file + other.file, as: SampleLog.name)
        let log = try StateLog(directory: folder.path)
        #expect(try SampleLog.state(of: log) == one.state { _ in true })
        #expect(log.recovery.tornBytes == other.file.count)
    }

    @Test func aTornEndIsKeptAgainEachTimeItHappens() throws {
        let sample = try SampleLog()
        let folder = try TemporaryFolder()
        try folder.store(sample.file + bytes("torn once"), as: SampleLog.name)
        try StateLog(directory: folder.path).close()
        try folder.store(sample.file + bytes("torn twice"), as: SampleLog.name)
        let log = try StateLog(directory: folder.path)
        #expect(log.recovery.tornBytes == 10)
        let aside = String(decoding: try folder.contents(of: "\(SampleLog.name).torn"), as: UTF8.self)
        #expect(aside.contains("torn once"))
        #expect(aside.contains("torn twice"))
        #expect(try folder.names() == [SampleLog.name, "\(SampleLog.name).torn", "state.lock", "state.spare"])
    }

    @Test func aLengthBeyondAllReasonIsNoReasonToAllocate() throws {
        let sample = try SampleLog()
        for length: [UInt8] in [[0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 1], [1, 0, 0, 1]] {
            let folder = try TemporaryFolder()
            var damaged = sample.file
            damaged.replaceSubrange(sample.offsets[2] + 4..<sample.offsets[2] + 8, with: length)
            try folder.store(damaged, as: SampleLog.name)
            let log = try StateLog(directory: folder.path)
            #expect(try SampleLog.state(of: log) == sample.state { $0 != 2 })
        }
    }

    @Test func damageThatAppearsWhileTheLogIsOpenIsFoundByTheRead() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        try log.put(bytes("value"), for: bytes("k"))
        try log.put(bytes("other"), for: bytes("l"))
        var damaged = try folder.contents(of: SampleLog.name)
        damaged[80 + 24 + 1] ^= 4
        try folder.store(damaged, as: SampleLog.name)
        #expect(try errorCode { _ = try log.value(for: bytes("k")) } == .damagedRecord)
        #expect(try errorCode { _ = try log.value(for: bytes("k")) } == .damagedRecord)
        #expect(log.damagedRecords == 1)
        #expect(try log.value(for: bytes("l")) == bytes("other"))
        let aside = try folder.contents(of: "\(SampleLog.name).damaged")
        #expect(aside.count == 80 + 24 + 24 + 1 + 5)
        try log.put(bytes("again"), for: bytes("k"))
        #expect(try log.value(for: bytes("k")) == bytes("again"))
        log.close()
        try self.expectCleanAndUsable(folder)
    }
}
