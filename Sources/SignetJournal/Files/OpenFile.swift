// SPDX-License-Identifier: Apache-2.0

import CSignetJournal

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// An open regular file; it closes when the last copy of this value is released.
///
/// A reader that holds it keeps the bytes readable, even if the name is removed meanwhile.
package struct OpenFile: Sendable {
    /// The owner of a descriptor, which closes it exactly once.
    private final class Handle: Sendable {
        let descriptor: Int32

        init(_ descriptor: Int32) {
            self.descriptor = descriptor
        }

        deinit {
            _ = close(self.descriptor)
        }
    }

    /// The name within its folder.
    let name: String

    /// The path for messages.
    let path: String

    private let handle: Handle
    let disk: Disk

    var descriptor: Int32 { self.handle.descriptor }

    init(descriptor: Int32, name: String, path: String, disk: Disk) {
        self.handle = Handle(descriptor)
        self.name = name
        self.path = path
        self.disk = disk
    }

    private init(_ file: OpenFile, name: String, path: String) {
        self.handle = file.handle
        self.name = name
        self.path = path
        self.disk = file.disk
    }

    /// Returns the same open file under its new name.
    func renamed(_ name: String, path: String) -> OpenFile {
        OpenFile(self, name: name, path: path)
    }

    /// Returns its length and its number of names.
    func status() throws(StorageError) -> (size: UInt64, links: Int) {
        var status = stat()
        guard fstat(self.descriptor, &status) == 0 else {
            throw StorageError(.last, action: "inspect", path: self.path)
        }
        return (UInt64(clamping: status.st_size), Int(clamping: status.st_nlink))
    }

    /// Fills a buffer from an offset.
    ///
    /// - Returns: The number of bytes read; less than the buffer holds only at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(StorageError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let position = off_t(offset) + off_t(filled)
            do throws(SystemFailure) {
                let count = try self.disk.perform(.read, self.name) {
                    pread(self.handle.descriptor, rest.baseAddress, rest.count, position)
                }
                if count == 0 { break }
                filled += count
            } catch {
                throw StorageError(error, action: "read", path: self.path)
            }
        }
        return filled
    }

    /// Reads up to a number of bytes.
    ///
    /// - Returns: The bytes; fewer than requested only at the end of the file.
    func bytes(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
        // The thread sanitizer reports this initializer's access to the shared empty array as a race.
        guard count > 0 else { return [] }
        var failure: StorageError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(StorageError) {
                filled = try self.read(
                    into: UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count),
                    at: offset
                )
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all bytes at an offset.
    ///
    /// If it throws, any part of them may have been written.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            do throws(SystemFailure) {
                let count = try self.disk.write(self.name, self.descriptor, rest, at: offset + UInt64(written))
                // A regular file takes at least one byte or returns an error; this prevents an endless loop.
                guard count > 0 else { throw SystemFailure(number: EIO) }
                written += count
            } catch {
                throw StorageError(error, action: "write to", path: self.path)
            }
        }
    }

    /// Writes all bytes at an offset.
    func write(_ bytes: [UInt8], at offset: UInt64) throws(StorageError) {
        try bytes.withUnsafeBufferPointer { buffer throws(StorageError) in
            try self.write(UnsafeRawBufferPointer(buffer), at: offset)
        }
    }

    func truncate(to size: UInt64) throws(StorageError) {
        do throws(SystemFailure) {
            _ = try self.disk.perform(.truncate, self.name) { Int(ftruncate(self.descriptor, off_t(size))) }
        } catch {
            throw StorageError(error, action: "truncate", path: self.path)
        }
    }

    /// Flushes the bytes to the medium.
    ///
    /// After a failure the kernel may count the lost pages as clean, so a second call on this file proves nothing.
    func sync() throws(StorageError) {
        do throws(SystemFailure) {
            _ = try self.disk.perform(.sync, self.name) { Disk.flush(self.descriptor) }
        } catch {
            throw StorageError(error, action: "flush", path: self.path)
        }
    }
}

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

    /// Writes zeros, so that the pages of a range exist and their blocks are allocated.
    ///
    /// Without it, each first touch of a page through a mapping costs microseconds in the file system.
    func fill(_ range: Range<UInt64>) throws(StorageError) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            // Up to multiples of the piece, so that pages are written whole.
            let piece = Self.zeros.count - Int(offset % UInt64(Self.zeros.count))
            let count = min(piece, Int(range.upperBound - offset))
            try Self.zeros.withUnsafeBufferPointer { zeros throws(StorageError) in
                try self.write(UnsafeRawBufferPointer(start: zeros.baseAddress, count: count), at: offset)
            }
            offset += UInt64(count)
        }
    }

    private static let zeros = [UInt8](repeating: 0, count: 128 << 10)

    /// Maps the file into memory, for reading and writing.
    ///
    /// - Parameter size: The length, in bytes, which the file must have.
    /// - Returns: The mapping; nil if the file system does not support it, or the process has no room for it.
    /// - Throws: Any other error of the system.
    func map(_ size: UInt64) throws(StorageError) -> FileMapping? {
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
        return address.map { FileMapping($0, count: Int(size)) }
    }
}

extension SystemFailure {
    /// True if the system or this file system does not support the call.
    var isUnsupported: Bool {
        [EOPNOTSUPP, ENOTSUP, ENOSYS, ENODEV].contains(self.number)
    }
}

/// The mapped bytes of a file, shared with the kernel: bytes written to them survive the end of the process.
// Proof of the `Sendable` conformance: the address never changes, and the memory lives until the last reference is
// gone. The journal writes only after the end of its newest segment and only under its lock. Readers look only at bytes
// before an end that they read under that lock after it was moved, so no thread reads bytes that another one writes.
final class FileMapping: @unchecked Sendable {
    let address: UnsafeMutableRawPointer
    let count: Int

    init(_ address: UnsafeMutableRawPointer, count: Int) {
        self.address = address
        self.count = count
    }

    deinit {
        munmap(self.address, self.count)
    }

    /// Touches each page of a range of zeros, so that no write to it waits for a page fault, until the kernel has written the page.
    func touch(_ range: Range<Int>) {
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: 4096) {
            self.address.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
        }
    }

    /// Returns the bytes of a range, valid while this object lives.
    func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: self.address + range.lowerBound, count: range.count)
    }
}
