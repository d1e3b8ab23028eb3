// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// The files of a directory, to be read once or given up by the page cache.
struct DataFiles {
    private let paths: [String]
    /// Of all files together.
    let bytes: Int

    init(in directory: String) throws {
        var paths: [String] = []
        var bytes = 0
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            var status = stat()
            guard stat("\(directory)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            paths.append("\(directory)/\(name)")
            bytes += Int(status.st_size)
        }
        self.paths = paths.sorted()
        self.bytes = bytes
    }

    /// Reads all, 256 KiB at a time, twice: as they are, and with their checksum.
    ///
    /// The second time finds them in memory, whatever the first one found.
    ///
    /// - Returns: Seconds of reading alone, and with the checksum's on top.
    func read() throws -> (wall: Double, withChecksum: Double) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
        defer { buffer.deallocate() }
        var times = [0.0, 0.0]
        var checking = 0.0
        for isChecking in [false, true] {
            let began = Nanoseconds.now
            for path in self.paths {
                let file = open(path, O_RDONLY | O_CLOEXEC)
                guard file >= 0 else { throw LoadError(system: "open \(path)") }
                defer { close(file) }
                var checksum: UInt32 = 0
                while true {
                    let count = Glibc.read(file, buffer.baseAddress, buffer.count)
                    guard count >= 0 else { throw LoadError(system: "read \(path)") }
                    guard count > 0 else { break }
                    guard isChecking else { continue }
                    let started = Nanoseconds.now
                    checksum = CRC32C.of(UnsafeRawBufferPointer(rebasing: buffer[..<count]), after: checksum)
                    checking += Double(Nanoseconds.now - started) / 1e9
                }
            }
            times[isChecking ? 1 : 0] = Double(Nanoseconds.now - began) / 1e9
        }
        return (times[0], times[0] + checking)
    }

    /// Has the kernel forget what it keeps of them.
    func chill() throws {
        for path in self.paths {
            let file = open(path, O_RDWR | O_CLOEXEC)
            guard file >= 0 else { throw LoadError(system: "open \(path)") }
            defer { close(file) }
            guard fsync(file) == 0 else { throw LoadError(system: "fsync \(path)") }
            guard posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0 else {
                throw LoadError("posix_fadvise \(path) failed")
            }
        }
    }
}
