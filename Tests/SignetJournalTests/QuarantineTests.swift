// SPDX-License-Identifier: Apache-2.0

import SignetLock
import Testing

@testable import SignetJournal

struct QuarantineTests {
    private func open(_ folder: TemporaryFolder, _ faults: FaultyDisk) throws -> StateLog {
        var options = StateLog.Options()
        options.disk = faults.disk
        return try StateLog(directory: folder.path, options: options)
    }

    @Test func aTornEndIsOnTheMediumBeforeItIsCutOff() throws {
        let folder = try TemporaryFolder()
        let sample = try SampleLog()
        try folder.store(sample.file + bytes("torn"), as: SampleLog.name)
        let faults = FaultyDisk()
        _ = try self.open(folder, faults)
        let calls = faults.asked
        let copied = try #require(calls.firstIndex { $0.call == .sync && $0.name == "\(SampleLog.name).torn" })
        let named = try #require(calls.firstIndex { $0.call == .syncFolder })
        let cut = try #require(calls.firstIndex { $0.call == .truncate && $0.name == SampleLog.name })
        let flushed = try #require(calls.firstIndex { $0.call == .sync && $0.name == SampleLog.name })
        #expect(copied < cut && named < cut && cut < flushed)
    }

    @Test func copiesOfDamageAreOnTheMediumBeforeTheirSourceIsRemoved() throws {
        let folder = try TemporaryFolder()
        let sample = try SampleLog()
        var damaged = sample.file
        damaged[sample.offsets[1] - 1] ^= 1
        try folder.store(damaged, as: SampleLog.name)
        let faults = FaultyDisk()
        let log = try self.open(folder, faults)
        faults.reset()
        try log.compact()
        let calls = faults.asked
        let copied = try #require(calls.firstIndex { $0.call == .sync && $0.name == "\(SampleLog.name).damaged" })
        let removed = try #require(calls.firstIndex { $0.call == .remove && $0.name == SampleLog.name })
        #expect(copied < removed)
    }

    @Test func damageThatCannotBeCopiedIsCountedAgainUntilItCan() throws {
        let folder = try TemporaryFolder()
        let sample = try SampleLog()
        var damaged = sample.file
        damaged[sample.offsets[1] - 1] ^= 1
        try folder.store(damaged, as: SampleLog.name)
        let faults = FaultyDisk()
        for _ in 0..<2 {
            faults.fail { call, _, _ in call == .write ? .failure(28) : nil }
            let log = try self.open(folder, faults)
            #expect(log.recovery.damagedRecords == 1)
            #expect(log.recovery.setAsideFiles.isEmpty)
            log.close()
        }
        faults.reset()
        let log = try self.open(folder, faults)
        #expect(log.recovery.damagedRecords == 1)
        #expect(log.recovery.setAsideFiles == ["\(SampleLog.name).damaged"])
        log.close()
        #expect(try self.open(folder, faults).recovery.damagedRecords == 0)
    }

    @Test func anAsideFileThatIsCutShortGoesOnWhereItIsSound() throws {
        let sample = try SampleLog()
        var damaged = sample.file
        damaged[sample.offsets[1] - 1] ^= 1
        damaged[sample.offsets[3] - 1] ^= 1
        let original = try TemporaryFolder()
        try original.store(damaged, as: SampleLog.name)
        try StateLog(directory: original.path).close()
        let aside = try original.contents(of: "\(SampleLog.name).damaged")
        for size in 0...aside.count {
            let folder = try TemporaryFolder(imageOf: original)
            try folder.store(Array(aside[..<size]), as: "\(SampleLog.name).damaged")
            let log = try StateLog(directory: folder.path)
            let first = 80 + 24 + sample.operations[0].length
            let expected = size == aside.count ? 0 : size >= first ? 1 : 2
            #expect(log.recovery.damagedRecords == expected, "cut at \(size)")
            log.close()
            let again = try StateLog(directory: folder.path)
            #expect(again.recovery.damagedRecords == 0, "cut at \(size)")
            #expect(try folder.contents(of: "\(SampleLog.name).damaged").count == aside.count)
        }
    }

    @Test func anAsideFileOfANewerVersionIsLeftAlone() throws {
        let sample = try SampleLog()
        var damaged = sample.file
        damaged[sample.offsets[1] - 1] ^= 1
        let folder = try TemporaryFolder()
        try folder.store(damaged, as: SampleLog.name)
        let foreign = bytes(String(repeating: "of a newer version ", count: 10))
        try folder.store(foreign, as: "\(SampleLog.name).damaged")
        let log = try StateLog(directory: folder.path)
        #expect(log.recovery.damagedRecords == 1)
        #expect(try folder.contents(of: "\(SampleLog.name).damaged") == foreign)
    }

    @Test func anErasureLeavesFilesInTheMakingAlone() throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path, disk: Disk())
        for number in ["3", "5", "6", "9"] {
            try temporary.store(bytes("x"), as: "000000000000000\(number).log.tmp")
        }
        try temporary.store(bytes("x"), as: "0000000000000006.log.damaged")
        // The numbers 5 and 6 are taken by files that are made while the folder is listed.
        var next: UInt64 = 5
        let count = try Quarantine(folder: folder).erase([.log]) {
            defer { next = 7 }
            return [.log: next]
        }
        #expect(count == 1)
        #expect(try temporary.names() == ["0000000000000005.log.tmp", "0000000000000006.log.tmp"])
    }

    @Test func copiesCanBeMadeDuringAFlush() throws {
        let temporary = try TemporaryFolder()
        let kept = Locked(false)
        let holder = Locked<(Quarantine, LogFile)?>(nil)
        // Another piece is copied while the first one is flushed.
        let disk = Disk { call, name in
            guard call == .sync, name.hasSuffix(".damaged"),
                let (quarantine, log) = holder.withLock({ held in
                    defer { held = nil }
                    return held
                })
            else { return nil }
            if case .kept = quarantine.keep(84..<88, of: log, .damaged) { kept.withLock { $0 = true } }
            return nil
        }
        let folder = try Folder(path: temporary.path, disk: disk)
        let quarantine = Quarantine(folder: folder)
        var log = try LogFile.create(in: folder, FileHeader(kind: .log, salt: 1, number: 1, base: 1))
        _ = try log.append(bytes("12345678"), frames: 0)
        guard case .kept = quarantine.keep(80..<84, of: log, .damaged) else {
            Issue.record("the first piece was not copied")
            return
        }
        #expect(!quarantine.isFlushed)
        holder.withLock { [log] in $0 = (quarantine, log) }
        try quarantine.sync()
        #expect(kept.withLock { $0 })
        // The flush may have come before the second piece.
        #expect(!quarantine.isFlushed)
        try quarantine.sync()
        #expect(quarantine.isFlushed)
    }
}
