// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetTransport

/// A file with cases that were not made here.
enum GoldenFile {
    /// Reads a file of the folder `Golden`.
    static func read(_ name: String) throws -> JSONValue {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let bytes = Array(try Data(contentsOf: folder.appending(path: "Golden").appending(path: name)))
        return try JSONReader.read(bytes, limits: JSONLimits(depth: 64))
    }
}
