// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import Testing

struct FileSystemTests {
    @Test func onlyFileSystemsThatWriteInPlaceTakeFramesThroughMemory() {
        #expect(FileSystem(number: 0xEF53).keepsReservedSpace)
        #expect(FileSystem(number: 0x0102_1994).keepsReservedSpace)
        // btrfs, XFS, overlayfs, NFS, FUSE, ZFS, bcachefs, f2fs; and where there is no number.
        let others: [Int64] = [
            0x9123_683E, 0x5846_5342, 0x794C_7630, 0x6969, 0x6573_5546, 0x2FC1_2FC1, 0xCA45_1A4E, 0xF2F5_2010, -1,
        ]
        for number in others {
            #expect(!FileSystem(number: number).keepsReservedSpace, "\(number)")
        }
    }
}
