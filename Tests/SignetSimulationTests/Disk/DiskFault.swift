// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetTestSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// What goes wrong with a disk for a while.
enum DiskFault: String, Sendable, CaseIterable {
    case fine
    /// No space.
    case full
    /// Reads, writes and changes of names fail now and then.
    case failing
    /// Flushes fail now and then.
    case flushless
    /// No file can be opened.
    case crowded
    /// Writes take a few bytes only.
    case short

    /// What becomes of a call; nil when nothing is wrong with it.
    func fault(_ call: Disk.Call, _ generator: inout SeededGenerator) -> Disk.Fault? {
        switch (self, call) {
        case (.full, .write):
            generator.pick(.failure(ENOSPC), .failure(ENOSPC), .short(7), nil)
        case (.full, .reserve):
            generator.chance(0.7) ? .failure(ENOSPC) : nil
        case (.failing, .read):
            generator.chance(0.1) ? .failure(EIO) : nil
        case (.failing, .write), (.failing, .truncate), (.failing, .rename), (.failing, .remove), (.failing, .map),
            (.failing, .reserve):
            generator.chance(0.3) ? .failure(EIO) : nil
        case (.flushless, .sync), (.flushless, .syncFolder):
            generator.chance(0.6) ? .failure(EIO) : nil
        case (.crowded, .open):
            generator.chance(0.7) ? .failure(EMFILE) : nil
        case (.short, .write):
            .short(Int.random(in: 1...60, using: &generator))
        default:
            nil
        }
    }
}
