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

/// A folder that is gone after the test.
final class TemporaryFolder: Sendable {
    struct Failure: Error {
        var path: String
        var number: Int32
    }

    /// Versions of the format that are not this one, and the error of each.
    static let otherVersions: [(version: UInt8, code: StorageError.Code)] = [(2, .newerFormat), (0, .olderFormat)]

    let path: String

    init() throws {
        self.path = try ProcessFolder.newPath()
        guard mkdir(self.path, 0o700) == 0 else { throw Failure(path: self.path, number: errno) }
    }

    /// A copy of another folder: what a crash at this moment would leave behind.
    convenience init(imageOf other: TemporaryFolder) throws {
        try self.init()
        for name in try other.names() {
            try self.store(other.contents(of: name), as: name)
        }
    }

    deinit {
        Self.remove(self.path)
    }

    private static func remove(_ path: String) {
        do {
            for name in try Self.names(path) where unlink("\(path)/\(name)") != 0 {
                self.remove("\(path)/\(name)")
            }
        } catch {
            print("cannot list \(path): \(error)")
        }
        if rmdir(path) != 0 { print("left behind: \(path)") }
    }

    static func names(_ path: String) throws -> [String] {
        guard let stream = opendir(path) else { throw Failure(path: path, number: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func path(of name: String) -> String { "\(self.path)/\(name)" }

    func names() throws -> [String] { try Self.names(self.path) }

    /// The names with one of the extensions, in byte order.
    func names(_ suffixes: String...) throws -> [String] {
        try self.names().filter { name in suffixes.contains { name.hasSuffix(".\($0)") } }
    }

    func contents(of name: String) throws -> [UInt8] {
        let descriptor = open(self.path(of: name), O_RDONLY)
        guard descriptor >= 0 else { throw Failure(path: name, number: errno) }
        defer { close(descriptor) }
        var status = stat()
        fstat(descriptor, &status)
        let size = Int(status.st_size)
        // The thread sanitizer takes what the initializer does to the shared empty array for a race.
        guard size > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, size))
        }
    }

    func store(_ bytes: [UInt8], as name: String) throws {
        let descriptor = open(self.path(of: name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw Failure(path: name, number: errno) }
        defer { close(descriptor) }
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw Failure(path: name, number: errno)
        }
    }

    func remove(_ name: String) throws {
        guard unlink(self.path(of: name)) == 0 else { throw Failure(path: name, number: errno) }
    }

    /// The permission bits of a file in it, or of itself.
    func mode(of name: String? = nil) throws -> mode_t {
        try self.status(name).st_mode & 0o777
    }

    func inode(of name: String) throws -> UInt64 {
        UInt64(try self.status(name).st_ino)
    }

    private func status(_ name: String?) throws -> stat {
        var status = stat()
        let path = name.map { self.path(of: $0) } ?? self.path
        guard lstat(path, &status) == 0 else { throw Failure(path: path, number: errno) }
        return status
    }
}
