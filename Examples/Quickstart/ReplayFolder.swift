//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation

/// The folder of a replay, removed when it is over.
final class ReplayFolder {
    let path: String

    init() throws {
        self.path = FileManager.default.temporaryDirectory.path + "/signet-quickstart-" + UUID().uuidString
    }

    deinit {
        for path in [self.path, self.path + "-crowd"] where FileManager.default.fileExists(atPath: path) {
            // The system empties its folder of temporary files by itself.
            do { try FileManager.default.removeItem(atPath: path) } catch {}
        }
    }
}
