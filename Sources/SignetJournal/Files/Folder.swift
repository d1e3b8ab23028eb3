// SPDX-License-Identifier: Apache-2.0

import CSignetJournal

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// An open folder that finds files by name without following links.
package final class Folder: Sendable {
    /// The path by which it was opened.
    package let path: String

    let disk: Disk
    let descriptor: Int32

    /// Opens a folder, and makes it and its parents (0700) if they are missing.
    ///
    /// An existing folder keeps its mode.
    ///
    /// - Parameters:
    ///   - path: Any path; it is not resolved further.
    ///   - disk: The system calls.
    /// - Throws: `directoryUnusable` for an empty path, a path with a NUL, a symbolic link, a path that is not a
    ///   folder, or a folder that every user may write to, where others could place links.
    package init(path: String, disk: Disk) throws(StorageError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StorageError(
                code: .directoryUnusable,
                path: path.isEmpty ? "(empty)" : "(contains NUL)",
                message: "The path of the folder is empty or contains a NUL. Give the path of a folder."
            )
        }
        self.path = path
        self.disk = disk.within(path)
        try Self.makeFolders(path)
        // With a trailing slash the kernel follows a link in spite of O_NOFOLLOW.
        let plain = path.count > 1 ? String(path.reversed().drop { $0 == "/" }.reversed()) : path
        let name = plain.isEmpty ? "/" : plain
        do throws(SystemFailure) {
            self.descriptor = Int32(
                try disk.perform(.open, name) { Int(open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) }
            )
        } catch {
            throw StorageError(error, action: "open the folder", path: path)
        }
        var status = stat()
        guard fstat(self.descriptor, &status) == 0 else {
            throw StorageError(.last, action: "inspect", path: path)
        }
        guard status.st_mode & mode_t(S_IWOTH) == 0 else {
            throw StorageError(
                code: .directoryUnusable,
                path: path,
                message: "Every user can write to \(path). Use another folder, or remove that permission (chmod o-w)."
            )
        }
    }

    deinit {
        _ = close(self.descriptor)
    }

    private static func makeFolders(_ path: String) throws(StorageError) {
        if mkdir(path, 0o700) == 0 {
            try self.syncParent(of: path)
            return
        }
        switch SystemFailure.last.number {
        case EEXIST:
            return
        case ENOENT:
            guard let parent = self.parent(of: path) else { fallthrough }
            try self.makeFolders(parent)
            guard mkdir(path, 0o700) == 0 || SystemFailure.last.number == EEXIST else { fallthrough }
            try self.syncParent(of: path)
        default:
            throw StorageError(.last, action: "make the folder", path: path)
        }
    }

    private static func parent(of path: String) -> String? {
        let trimmed = path.utf8.reversed().drop { $0 == UInt8(ascii: "/") }
        let rest = trimmed.drop { $0 != UInt8(ascii: "/") }.drop { $0 == UInt8(ascii: "/") }
        let parent = String(decoding: rest.reversed(), as: UTF8.self)
        return parent.isEmpty ? nil : parent
    }

    /// Makes a new folder's name survive a power loss.
    private static func syncParent(of path: String) throws(StorageError) {
        let parent = self.parent(of: path) ?? (path.utf8.first == UInt8(ascii: "/") ? "/" : ".")
        let descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StorageError(.last, action: "open the folder", path: parent) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StorageError(.last, action: "flush the folder", path: parent) }
    }

    func path(of name: String) -> String {
        "\(self.path)/\(name)"
    }

    /// Returns the names in the folder, in byte order.
    func names() throws(StorageError) -> [String] {
        let listing = openat(self.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard listing >= 0 else { throw StorageError(.last, action: "list", path: self.path) }
        guard let stream = fdopendir(listing) else {
            let failure = SystemFailure.last
            _ = close(listing)
            throw StorageError(failure, action: "list", path: self.path)
        }
        defer { closedir(stream) }
        var names: [String] = []
        let position = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = UnsafeRawPointer(entry).advanced(by: position).assumingMemoryBound(to: CChar.self)
            names.append(String(cString: name))
        }
        guard errno == 0 else { throw StorageError(.last, action: "list", path: self.path) }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    /// Opens an existing regular file for reading and writing.
    ///
    /// - Throws: `directoryUnusable` for a link, a pipe, a device or a folder.
    func openFile(_ name: String) throws(StorageError) -> OpenFile {
        // Without O_NONBLOCK, opening a pipe waits for its other end.
        try self.openFile(name, O_RDWR | O_NONBLOCK, action: "open")
    }

    /// Creates a file (0600) that must not exist.
    func createFile(_ name: String) throws(StorageError) -> OpenFile {
        try self.openFile(name, O_RDWR | O_CREAT | O_EXCL, action: "create")
    }

    /// Opens a file, and creates it (0600) if it is missing.
    func ensureFile(_ name: String) throws(StorageError) -> OpenFile {
        try self.openFile(name, O_RDWR | O_CREAT | O_NONBLOCK, action: "open")
    }

    private func openFile(_ name: String, _ flags: Int32, action: String) throws(StorageError) -> OpenFile {
        let path = self.path(of: name)
        let file: OpenFile
        do throws(SystemFailure) {
            let descriptor = try self.disk.perform(.open, name) {
                Int(openat(self.descriptor, name, flags | O_NOFOLLOW | O_CLOEXEC, 0o600))
            }
            file = OpenFile(descriptor: Int32(descriptor), name: name, path: path, disk: self.disk)
        } catch {
            throw StorageError(error, action: action, path: path)
        }
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else {
            throw StorageError(.last, action: "inspect", path: path)
        }
        guard status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else {
            throw StorageError(
                code: .directoryUnusable,
                path: path,
                message: "\(path) is not a regular file. Move it away, because the store uses that name."
            )
        }
        if status.st_mode & 0o077 != 0, fchmod(file.descriptor, 0o600) != 0 {
            throw StorageError(.last, action: "restrict the mode of", path: path)
        }
        return file
    }

    /// Gives a file another name, in place of any file of that name.
    func rename(_ name: String, to other: String) throws(StorageError) {
        do throws(SystemFailure) {
            _ = try self.disk.perform(.rename, name, to: other) {
                Int(renameat(self.descriptor, name, self.descriptor, other))
            }
        } catch {
            throw StorageError(error, action: "rename", path: self.path(of: name))
        }
    }

    /// Removes a name; a missing name is no error.
    func remove(_ name: String) throws(StorageError) {
        do throws(SystemFailure) {
            _ = try self.disk.perform(.remove, name) { Int(unlinkat(self.descriptor, name, 0)) }
        } catch {
            if error.number != ENOENT { throw StorageError(error, action: "remove", path: self.path(of: name)) }
        }
    }

    /// Removes an incomplete file after another error, and ignores its own failure.
    ///
    /// The next start removes any file left behind.
    func discard(_ name: String) {
        _ = unlinkat(self.descriptor, name, 0)
    }

    /// True if a name still leads to this file.
    func leads(_ name: String, to file: OpenFile) -> Bool {
        var named = stat()
        var open = stat()
        return fstatat(self.descriptor, name, &named, AT_SYMLINK_NOFOLLOW) == 0
            && fstat(file.descriptor, &open) == 0
            && named.st_ino == open.st_ino && named.st_dev == open.st_dev
    }

    /// Flushes created, renamed and removed names to the medium.
    func sync() throws(StorageError) {
        do throws(SystemFailure) {
            _ = try self.disk.perform(.syncFolder, self.path) { Int(fsync(self.descriptor)) }
        } catch {
            throw StorageError(error, action: "flush the folder", path: self.path)
        }
    }
}

extension Folder {
    /// True if the folder was removed since it was opened.
    ///
    /// No file can be made in a removed folder, though another folder may have its path.
    var isRemoved: Bool {
        var status = stat()
        return fstat(self.descriptor, &status) == 0 && status.st_nlink == 0
    }

    /// True if frames may be written through memory here.
    var canBeMapped: Bool {
        FileSystem(number: signet_file_system(self.descriptor)).keepsReservedSpace
    }

    /// Opens the folder again by its path, and makes it if it is missing; this value then stands for the new folder.
    ///
    /// - Parameter prepare: Called with the new folder before the switch.
    /// - Throws: The disk's error or that of `prepare`; then this value stays the old folder.
    func reopen(_ prepare: (Folder) throws(StorageError) -> Void) throws(StorageError) {
        let other = try Folder(path: self.path, disk: self.disk)
        try prepare(other)
        guard signet_replace(self.descriptor, other.descriptor) == 0 else {
            throw StorageError(.last, action: "open the folder", path: self.path)
        }
    }
}

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
