// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import Testing

#if canImport(Glibc)
import Glibc

/// On a file system that is really full; needs the right to mount one.
struct JournalFullDiskTests {
    private func stores(_ bytes: [UInt8], as name: String, in folder: TemporaryFolder) -> Bool {
        do {
            try folder.store(bytes, as: name)
            return true
        } catch {
            return false
        }
    }

    @Test(arguments: Journal.Options.Storage.both, UpkeepPlace.allCases)
    func acknowledgingFreesAFullDisk(storage: Journal.Options.Storage, upkeep: UpkeepPlace) throws {
        let folder = try TemporaryFolder()
        guard mount("tmpfs", folder.path, "tmpfs", UInt(MS_NODEV), "size=1m,mode=0700") == 0 else {
            print("a full disk is not tested: mount(2) gave error \(errno)")
            return
        }
        defer { umount2(folder.path, Int32(MNT_DETACH)) }
        let works = upkeep.makeWorks()
        let journal = try Journal(directory: folder.path, segmentBytes: 100_000, storage: storage, works: works)
        let payload = [UInt8](repeating: 7, count: 5000)
        var last: UInt64 = 0
        var code: StorageError.Code?
        while code == nil {
            code = try errorCode { last = try journal.append(stamp: bytes("s"), payload: payload) }
            if last.isMultiple(of: 3) { works?.run() }
            try #require(last < 1000)
        }
        #expect(code == .diskFull)
        #expect(last > 100)
        // Space of others: not even the last free page is left.
        var ballast = 0
        while self.stores([UInt8](repeating: 1, count: 4096), as: "ballast \(ballast)", in: folder) {
            ballast += 1
            if ballast > 300 { break }
        }
        let frames = try journal.frames(after: 0, limit: 60)
        #expect(frames.map(\.sequence) == Array(1...60))
        try journal.acknowledge(frames.map(\.sequence))
        works?.run()
        let next = try journal.append(stamp: bytes("s"), payload: payload)
        #expect(next == last + 1)
        journal.close()
        let again = try Journal(directory: folder.path, storage: storage)
        #expect(again.liveCount == Int(next) - 60)
        #expect(again.recovery.damagedRecords == 0)
        #expect(again.recovery.tornBytes == 0)
        again.close()
    }
}
#endif
