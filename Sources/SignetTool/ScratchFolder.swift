// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import class FoundationEssentials.FileManager
import struct FoundationEssentials.UUID

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder for personal data while a command needs it, held by its process.
///
/// If the process is killed, the next command removes the folder.
struct ScratchFolder: Sendable {
    /// The hold on a folder: a lock (`flock(2)`) on the folder itself, which ends with the process, however that ends.
    struct Hold: ~Copyable {
        fileprivate let descriptor: Int32

        /// Releases the hold.
        consuming func end() {}

        deinit {
            _ = close(self.descriptor)
        }
    }

    private static let prefix = "signet-scratch-"

    let path: String

    /// The folder of the files.
    var files: String { self.path + "/files" }

    init(in temporary: String = FileManager.default.temporaryDirectory.path) {
        self.path = temporary + "/" + Self.prefix + UUID().uuidString
    }

    /// Makes the folder, readable for this user only, and holds it.
    func make() throws(ToolFault) -> Hold {
        while true {
            guard mkdir(self.path, 0o700) == 0 || errno == EEXIST else { throw self.fault }
            guard let hold = Self.descriptor(self.path).map(Hold.init(descriptor:)) else {
                if errno == ENOENT { continue }
                throw self.fault
            }
            while flock(hold.descriptor, LOCK_EX) != 0 {
                guard errno == EINTR else { throw self.fault }
            }
            // Before the lock was taken, another process may have taken the folder for one that was left.
            if Self.leads(self.path, to: hold.descriptor) { return hold }
        }
    }

    /// Removes the folder, if it exists.
    func remove() throws {
        guard FileManager.default.fileExists(atPath: self.path) else { return }
        try FileManager.default.removeItem(atPath: self.path)
    }

    /// Removes folders that killed processes of the same user have left.
    static func removeLeft(in temporary: String = FileManager.default.temporaryDirectory.path) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: temporary) where name.hasPrefix(Self.prefix) {
            let path = temporary + "/" + name
            // Any user may write there: entries that are not this user's folders, or are in use, are left alone.
            guard Self.isOwnFolder(path), let hold = Self.descriptor(path).map(Hold.init(descriptor:)),
                flock(hold.descriptor, LOCK_EX | LOCK_NB) == 0, Self.leads(path, to: hold.descriptor)
            else { continue }
            try FileManager.default.removeItem(atPath: path)
            hold.end()
        }
    }

    private var fault: ToolFault {
        ToolFault("\(self.path): cannot be made: \(String(cString: strerror(errno)))")
    }

    private static func descriptor(_ path: String) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        return descriptor < 0 ? nil : descriptor
    }

    /// True while the path still names the open folder.
    private static func leads(_ path: String, to descriptor: Int32) -> Bool {
        var (named, opened) = (stat(), stat())
        return lstat(path, &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_ino == opened.st_ino
            && named.st_dev == opened.st_dev
    }

    private static func isOwnFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
    }

    /// Runs a body with a folder of its own, and removes the folder afterwards, also when a signal ends the process.
    ///
    /// After a signal that cannot be caught, the next command removes it.
    ///
    /// - Throws: ``ToolFault`` when the folder cannot be made; the errors of the body.
    static func using<Result>(_ body: (_ files: String) async throws -> Result) async throws -> Result {
        Self.tidy()
        let folder = ScratchFolder()
        return try await Interruption.guarding {
            folder.leave()
        } _: {
            let hold = try folder.make()
            do {
                let result = try await body(folder.files)
                try folder.remove()
                hold.end()
                return result
            } catch {
                folder.leave()
                throw error
            }
        }
    }

    /// Removes folders that killed processes have left; an error is printed, not thrown.
    static func tidy() {
        do { try Self.removeLeft() } catch {
            Terminal.complain("An earlier temporary folder could not be removed: \(error)")
        }
    }

    /// Removes the folder where no caller can handle an error, or a worse one is thrown already.
    ///
    /// It tries twice: while a signal ends the process, the body may make one more file.
    func leave() {
        do { try self.remove() } catch {
            do { try self.remove() } catch { Terminal.complain("\(self.path): cannot be removed: \(error)") }
        }
    }
}
#endif
