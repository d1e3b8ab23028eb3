//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import Signet

import class FoundationEssentials.FileManager
import struct FoundationEssentials.UUID

/// A copy of a runtime's directory, to look into without a touch on the directory itself.
enum DirectoryCopy {
    /// Runs a body with a survey of a copy, which is gone afterwards.
    ///
    /// - Throws: ``ToolFault`` for a directory that is none of a runtime; what the survey and the body throw.
    static func survey<Result>(_ directory: String, _ body: (DirectorySurvey) throws -> Result) throws -> Result {
        let files = FileManager.default
        for part in ["state", "journal"] where !files.fileExists(atPath: directory + "/" + part) {
            throw ToolFault("\(directory): is not the directory of a runtime; it has no \(part)/")
        }
        let copy = files.temporaryDirectory.path + "/signet-\(UUID())"
        do {
            try files.createDirectory(
                atPath: copy,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            for part in ["state", "journal"] {
                try files.copyItem(atPath: directory + "/" + part, toPath: copy + "/" + part)
            }
        } catch {
            try Self.remove(copy)
            throw ToolFault("\(directory): cannot be copied: \(error)")
        }
        do {
            let result = try body(DirectorySurvey(copy: copy))
            try Self.remove(copy)
            return result
        } catch {
            try Self.remove(copy)
            throw error
        }
    }

    private static func remove(_ copy: String) throws {
        guard FileManager.default.fileExists(atPath: copy) else { return }
        try FileManager.default.removeItem(atPath: copy)
    }
}
#endif
