// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// The error number of a failed system call.
struct SystemFailure: Error, Sendable, Equatable {
    var number: Int32

    /// The number of the last failed call on this thread.
    static var last: SystemFailure { SystemFailure(number: errno) }
}

/// The system calls of a store, with a hook for disk faults in tests.
///
/// Calls interrupted by a signal are repeated only here.
package struct Disk: Sendable {
    /// The kinds of system calls.
    package enum Call: String, Sendable, CaseIterable {
        /// Opening or creating a file.
        case open
        /// Reading at an offset.
        case read
        /// Writing at an offset.
        case write
        /// Cutting a file to a length.
        case truncate
        /// Flushing the bytes of a file to the medium.
        case sync
        /// Flushing the names in a folder to the medium.
        case syncFolder
        /// Giving a file another name.
        case rename
        /// Removing a name.
        case remove
        /// Reserving space for a file before it is written.
        case reserve
        /// Mapping a file into memory.
        case map
    }

    /// A fault that a test puts in place of a call.
    package enum Fault: Sendable, Equatable {
        /// The call does nothing and fails with this error number.
        case failure(Int32)
        /// A write takes at most this many bytes; other calls ignore it.
        case short(Int)
    }

    /// One call, as a test sees it beforehand.
    package struct Request: Sendable, Equatable {
        /// The kind of call.
        package let call: Call
        /// The file's name; the path of the folder where a folder is opened or flushed.
        package let name: String
        /// The path of the folder that the file is in; empty where a folder is opened.
        package let folder: String
        /// The other name of a renaming.
        package let target: String?
        /// The byte range of a write.
        package let bytes: Range<UInt64>?

        /// The path of the file or the folder.
        package var path: String {
            self.name.hasPrefix("/") || self.folder.isEmpty ? self.name : "\(self.folder)/\(self.name)"
        }
    }

    private let fault: (@Sendable (Request) -> Fault?)?

    /// The folder that the names of calls are in.
    private var folder = ""

    /// Makes a disk without faults.
    package init() {
        self.fault = nil
    }

    /// Makes a disk with faults, for tests that look at the whole request.
    ///
    /// - Parameter fault: Called before each call; nil lets it proceed. It runs while a store's lock is held, so it
    ///   must not call the store.
    package init(asking fault: @escaping @Sendable (Request) -> Fault?) {
        self.fault = fault
    }

    /// Makes a disk with faults, for tests.
    ///
    /// - Parameter fault: Called before each call, with the call and the file's name; nil lets it proceed. It runs
    ///   while a store's lock is held, so it must not call the store.
    package init(fault: @escaping @Sendable (_ call: Call, _ name: String) -> Fault?) {
        self.fault = { fault($0.call, $0.name) }
    }

    /// Returns the same disk for the files of a folder.
    func within(_ folder: String) -> Disk {
        var disk = self
        disk.folder = folder
        return disk
    }

    /// The fault that the test puts in place of a call; nil without a test.
    private func fault(_ call: Call, _ name: String, target: String? = nil, bytes: Range<UInt64>? = nil) -> Fault? {
        guard let fault = self.fault else { return nil }
        return fault(Request(call: call, name: name, folder: self.folder, target: target, bytes: bytes))
    }

    /// Makes one call, and repeats it if a signal interrupted it.
    ///
    /// - Parameters:
    ///   - call: The kind of call.
    ///   - name: The file's name.
    ///   - target: The other name of a renaming.
    ///   - body: Makes the call.
    /// - Returns: The result of the call, zero or more.
    /// - Throws: The error number of the call.
    func perform(
        _ call: Call,
        _ name: String,
        to target: String? = nil,
        _ body: () -> Int
    ) throws(SystemFailure) -> Int {
        if case .failure(let number)? = self.fault(call, name, target: target) {
            throw SystemFailure(number: number)
        }
        while true {
            let result = body()
            if result >= 0 { return result }
            let failure = SystemFailure.last
            if failure.number != EINTR { throw failure }
        }
    }

    /// Makes one call to `pwrite(2)`, which may write fewer bytes than given.
    func write(
        _ name: String,
        _ descriptor: Int32,
        _ bytes: UnsafeRawBufferPointer,
        at offset: UInt64
    ) throws(SystemFailure) -> Int {
        var count = bytes.count
        switch self.fault(.write, name, bytes: offset..<offset + UInt64(count)) {
        case .failure(let number)?: throw SystemFailure(number: number)
        case .short(let limit)?: count = min(count, limit)
        case nil: break
        }
        while true {
            let written = pwrite(descriptor, bytes.baseAddress, count, off_t(offset))
            if written >= 0 { return written }
            let failure = SystemFailure.last
            if failure.number != EINTR { throw failure }
        }
    }

    /// Flushes the bytes of a file, and the metadata needed to find them, to the medium.
    static func flush(_ descriptor: Int32) -> Int {
        #if canImport(Darwin)
        // fsync(2) on Darwin stops at the drive's cache.
        let full = fcntl(descriptor, F_FULLFSYNC)
        return full == 0 ? 0 : Int(fsync(descriptor))
        #else
        return Int(fdatasync(descriptor))
        #endif
    }
}
