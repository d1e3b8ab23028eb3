// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Where one process has the folders of its tests, locked while it lives.
///
/// A process that is killed leaves its folder behind. The next one finds it without a lock, and removes it: thousands of them would
/// fill the memory.
package struct ProcessFolder {
    private static let prefix = "signet-tests-"

    private static let ofThisProcess = Result { try ProcessFolder() }

    private let path: String

    /// A path in the folder of this process, at which nothing is yet.
    package static func newPath() throws -> String {
        "\(try Self.ofThisProcess.get().path)/\(UUID().uuidString)"
    }

    private init() throws {
        let parent = Self.parent
        Self.removeLeftFolders(in: parent)
        let name = "\(Self.prefix)\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let path = "\(parent)/\(name)"
        // Locked before it has its name: under that, another process would remove a folder without a lock.
        let unnamed = "\(parent)/.\(name)"
        try FileManager.default.createDirectory(atPath: unnamed, withIntermediateDirectories: true)
        guard Self.lock(unnamed) != nil else {
            throw CocoaError(.fileLocking, userInfo: [NSFilePathErrorKey: unnamed])
        }
        try FileManager.default.moveItem(atPath: unnamed, toPath: path)
        self.path = path
    }

    /// In memory where there is room: flushes are free there, and tests make thousands.
    private static var parent: String {
        let memory = "/dev/shm"
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: memory)
        let free = attributes?[.systemFreeSize] as? NSNumber
        let hasRoom = (free?.int64Value ?? 0) > 1 << 30 && FileManager.default.isWritableFile(atPath: memory)
        return hasRoom ? memory : FileManager.default.temporaryDirectory.path
    }

    private static func removeLeftFolders(in parent: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(Self.prefix) {
            guard let descriptor = Self.lock("\(parent)/\(name)") else { continue }
            // What cannot be removed harms no test.
            _ = try? FileManager.default.removeItem(atPath: "\(parent)/\(name)")
            close(descriptor)
        }
    }

    /// Takes the lock of a folder, which the process keeps until it closes the descriptor or ends.
    ///
    /// - Returns: The descriptor; nil if another process has the lock. Programs that the process starts do not get it.
    private static func lock(_ path: String) -> CInt? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
