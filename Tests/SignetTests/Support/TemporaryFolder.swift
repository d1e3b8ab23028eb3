//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation

/// A folder of its own for one test, removed with the value.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        self.path = FileManager.default.temporaryDirectory.path + "/signet-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
    }

    /// A copy of what another folder has right now, as a kill would leave it behind.
    init(copying other: TemporaryFolder) throws {
        self.path = FileManager.default.temporaryDirectory.path + "/signet-test-" + UUID().uuidString
        try FileManager.default.copyItem(atPath: other.path, toPath: self.path)
    }

    deinit {
        // A folder that is left behind harms no other test.
        _ = try? FileManager.default.removeItem(atPath: self.path)
    }
}
