// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder of its own for one test, removed with the value.
package final class TemporaryFolder: Sendable {
    /// In memory where there is room: flushes are free there, and tests make thousands.
    private static let parent: String = {
        let memory = "/dev/shm"
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: memory)
        let free = attributes?[.systemFreeSize] as? NSNumber
        let hasRoom = (free?.int64Value ?? 0) > 1 << 30 && FileManager.default.isWritableFile(atPath: memory)
        return hasRoom ? memory : FileManager.default.temporaryDirectory.path
    }()

    package let path: String

    package init() throws {
        self.path = Self.newPath()
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
    }

    /// A copy of what another folder has right now, as a kill would leave it behind.
    ///
    /// Files may come and go meanwhile: a copy that missed one is made again, as of a moment later.
    package init(copying other: TemporaryFolder) throws {
        var path = Self.newPath()
        for attempt in 1... {
            do {
                try FileManager.default.copyItem(atPath: other.path, toPath: path)
                break
            } catch {
                guard attempt < 20 else { throw error }
                _ = try? FileManager.default.removeItem(atPath: path)
                path = Self.newPath()
            }
        }
        self.path = path
    }

    private static func newPath() -> String {
        "\(Self.parent)/signet-test-\(UUID().uuidString)"
    }

    deinit {
        // A folder that is left behind harms no other test.
        _ = try? FileManager.default.removeItem(atPath: self.path)
    }
}
