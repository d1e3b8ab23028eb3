// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetJournal
import Testing

/// Frames that are in no file.
struct JournalMissingTests {
    private static let frames = UInt64(4_000)

    private func open(_ folder: TemporaryFolder) throws -> Journal {
        try Journal(directory: folder.path, segmentBytes: 2_000)
    }

    /// Each acknowledgement takes 40 bytes, and they are written anew beyond 64 KiB, when most of their files are gone.
    @Test func aFrameWithoutAFileIsMissingUnlessItWasAcknowledged() throws {
        let folder = try TemporaryFolder()
        let journal = try self.open(folder)
        let payload = [UInt8](repeating: 7, count: 80)
        for _ in 1...Self.frames { _ = try journal.append(stamp: bytes("1234"), payload: payload) }
        for sequence in UInt64(1)...2_000 { try journal.acknowledge([sequence]) }
        let all = Array(UInt64(1)...Self.frames)
        journal.close()
        let again = try self.open(folder)
        #expect(again.countMissing(all) == 0)
        for sequence in UInt64(2_001)...3_800 { try again.acknowledge([sequence]) }
        again.close()
        for name in try folder.names("journal") {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        }
        let last = try self.open(folder)
        #expect(last.countMissing(all) == 200)
        #expect(last.countMissing(Array(all.prefix(3_800))) == 0)
        last.close()
    }
}
