// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder of its own for one test, removed with the value.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        self.path = try ProcessFolder.newPath()
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
    }

    /// A copy of what another folder has right now, as a kill would leave it behind.
    ///
    /// Files may come and go meanwhile: a copy that missed one is made again, as of a moment later.
    package init(copying other: String) throws {
        var path = try ProcessFolder.newPath()
        for attempt in 1... {
            do {
                try FileManager.default.copyItem(atPath: other, toPath: path)
                break
            } catch {
                guard attempt < 20 else { throw error }
                _ = try? FileManager.default.removeItem(atPath: path)
                path = try ProcessFolder.newPath()
            }
        }
        self.path = path
    }

    /// A copy of what another folder has right now.
    package convenience init(copying other: TemporaryFolder) throws {
        try self.init(copying: other.path)
    }

    deinit {
        // A folder that is left behind harms no other test.
        _ = try? FileManager.default.removeItem(atPath: self.path)
    }
}
