//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import SignetTransport

import struct FoundationEssentials.Data
import struct FoundationEssentials.URL

/// A file that the command line names.
enum ToolFile {
    /// Its bytes.
    ///
    /// - Throws: ``ToolFault`` when it cannot be read.
    static func bytes(_ path: String) throws(ToolFault) -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw ToolFault("\(path): cannot be read")
        }
    }

    /// The JSON document that it is.
    ///
    /// - Throws: ``ToolFault`` when it cannot be read, or is none.
    static func json(_ path: String) throws(ToolFault) -> JSONValue {
        let bytes = try Self.bytes(path)
        do throws(JSONError) {
            return try JSONReader.read(bytes, limits: JSONLimits(bytes: 1 << 26, depth: 100, values: 5_000_000))
        } catch {
            throw ToolFault("\(path): \(error)")
        }
    }
}
#endif
