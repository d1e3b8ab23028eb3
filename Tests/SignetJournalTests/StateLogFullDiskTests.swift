// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import Testing

#if canImport(Glibc)
import Glibc

/// On a file system that is really full; needs the right to mount one.
struct StateLogFullDiskTests {
    /// A file system of one megabyte, or nil where mounting is not permitted.
    private final class SmallDisk {
        let folder: TemporaryFolder

        init?(_ folder: TemporaryFolder) {
            self.folder = folder
            guard mount("tmpfs", folder.path, "tmpfs", UInt(MS_NODEV), "size=1m,mode=0700") == 0 else {
                print("a full disk is not tested: mount(2) gave error \(errno)")
                return nil
            }
        }

        deinit {
            umount2(self.folder.path, Int32(MNT_DETACH))
        }
    }

    @Test func aFullDiskIsReportedAndTheLogGoesOnWhenThereIsSpace() throws {
        let folder = try TemporaryFolder()
        guard let disk = SmallDisk(folder) else { return }
        defer { withExtendedLifetime(disk) {} }
        try folder.store([UInt8](repeating: 1, count: 300_000), as: "ballast")
        let log = try StateLog(directory: folder.path)
        var model: [String: String] = [:]
        var number = 0
        var code: StorageError.Code?
        let padding = String(repeating: "x", count: 5000)
        while code == nil {
            number += 1
            code = try errorCode { try log.put(bytes("\(number) \(padding)"), for: bytes("key \(number % 100)")) }
            if code == nil { model["key \(number % 100)"] = "\(number) \(padding)" }
            try #require(number < 1000)
        }
        #expect(code == .diskFull)
        #expect(number > 50)
        #expect(try SampleLog.state(of: log) == model)
        // Removing works on a full disk.
        for key in 0..<20 {
            try log.remove(bytes("key \(key)"))
            model["key \(key)"] = nil
        }
        #expect(try SampleLog.state(of: log) == model)
        #expect(try errorCode { try log.compact() } == .diskFull)
        #expect(try SampleLog.state(of: log) == model)
        #expect(try folder.names("tmp").isEmpty)
        try folder.remove("ballast")
        try log.put(bytes("space"), for: bytes("again"))
        model["again"] = "space"
        log.close()
        let again = try StateLog(directory: folder.path)
        #expect(again.recovery.damagedRecords == 0)
        #expect(again.recovery.tornBytes == 0)
        #expect(try SampleLog.state(of: again) == model)
        again.close()
    }
}
#endif
