// SPDX-License-Identifier: Apache-2.0

import CSignetJournal

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

extension OpenFile {
    /// Reserves space for the file, so that no later write to it meets a full disk; the file then has that length.
    ///
    /// - Parameter size: The length, in bytes.
    /// - Returns: False if the system or the file system does not support it.
    /// - Throws: `diskFull`, or another error of the disk.
    func reserve(_ size: UInt64) throws(StorageError) -> Bool {
        do throws(SystemFailure) {
            _ = try self.disk.perform(.reserve, self.name) {
                Int(signet_reserve(self.descriptor, Int64(clamping: size)))
            }
            return true
        } catch {
            if error.isUnsupported { return false }
            throw StorageError(error, action: "reserve space for", path: self.path)
        }
    }

    /// Maps the file into memory, for reading and writing.
    ///
    /// - Parameter size: The length, in bytes, which the file must have.
    /// - Returns: The mapping; nil if the file system does not support it, or the process has no room for it.
    /// - Throws: Any other error of the system.
    func map(_ size: UInt64) throws(StorageError) -> SegmentMapping? {
        var address: UnsafeMutableRawPointer?
        do throws(SystemFailure) {
            _ = try self.disk.perform(.map, self.name) {
                address = mmap(nil, Int(size), PROT_READ | PROT_WRITE, MAP_SHARED, self.descriptor, 0)
                return address == MAP_FAILED ? -1 : 0
            }
        } catch {
            if error.isUnsupported || error.number == ENOMEM || error.number == EAGAIN { return nil }
            throw StorageError(error, action: "map", path: self.path)
        }
        return address.map { SegmentMapping($0, count: Int(size)) }
    }
}

extension SystemFailure {
    /// True if the system or this file system does not support the call.
    var isUnsupported: Bool {
        [EOPNOTSUPP, ENOTSUP, ENOSYS, ENODEV].contains(self.number)
    }
}
