// SPDX-License-Identifier: Apache-2.0

/// A kind of file system, by its number in `statfs(2)`.
package struct FileSystem: Sendable, Equatable {
    /// The number.
    package let number: Int64

    /// Makes a kind.
    package init(number: Int64) {
        self.number = number
    }

    /// The number of ext2, ext3 and ext4 (`EXT4_SUPER_MAGIC`).
    package static let ext4 = FileSystem(number: 0xEF53)

    /// The number of files in memory (`TMPFS_MAGIC`).
    package static let tmpfs = FileSystem(number: 0x0102_1994)

    /// True if a write to reserved space through memory always finds its block.
    ///
    /// Otherwise the process gets SIGBUS instead of an error. A copy-on-write file system (btrfs, bcachefs, ZFS) takes
    /// a new block for each page that is written again, and may have none. XFS shuts down on a failed write of its own;
    /// a network may be gone. So this names only file systems known to keep the space.
    package var keepsReservedSpace: Bool {
        self == .ext4 || self == .tmpfs
    }
}
