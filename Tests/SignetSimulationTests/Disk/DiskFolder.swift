// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// A folder as the test sees it, past the stores.
struct DiskFolder: Hashable, Sendable {
    struct Failure: Error {
        var path: String
        var number: Int32
    }

    let path: String

    /// Makes an empty folder with a new name.
    static func temporary() throws -> DiskFolder {
        let folder = DiskFolder(path: try ProcessFolder.newPath())
        guard mkdir(folder.path, 0o700) == 0 else { throw Failure(path: folder.path, number: errno) }
        return folder
    }

    func make() {
        _ = mkdir(self.path, 0o700)
    }

    /// Removes it with all it holds.
    func remove() {
        for folder in self.folders { folder.remove() }
        for name in self.inodes.keys { _ = unlink("\(self.path)/\(name)") }
        _ = rmdir(self.path)
    }

    /// Its files.
    var inodes: [String: UInt64] {
        var inodes: [String: UInt64] = [:]
        for entry in self.entries where entry.kind == DT_REG { inodes[entry.name] = entry.inode }
        return inodes
    }

    /// The folders in it.
    var folders: [DiskFolder] {
        self.entries
            .filter { $0.kind == DT_DIR }
            .map { DiskFolder(path: "\(self.path)/\($0.name)") }
    }

    /// It, and all folders below it.
    var tree: [DiskFolder] {
        [self] + self.folders.flatMap(\.tree)
    }

    private var entries: [(name: String, inode: UInt64, kind: Int)] {
        guard let stream = opendir(self.path) else { return [] }
        defer { closedir(stream) }
        var entries: [(name: String, inode: UInt64, kind: Int)] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            entries.append((name, UInt64(entry.pointee.d_ino), Int(entry.pointee.d_type)))
        }
        return entries.sorted { $0.name < $1.name }
    }

    /// The bytes of a file; none when there is no such file.
    func contents(of name: String) -> [UInt8] {
        let descriptor = open("\(self.path)/\(name)", O_RDONLY)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return [] }
        let size = Int(status.st_size)
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, size))
        }
    }

    func store(_ bytes: [UInt8], as name: String) {
        let descriptor = open("\(self.path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let written = write(descriptor, bytes, bytes.count)
        precondition(written == bytes.count, "The folder of the simulation has no space.")
    }
}
