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
    /// Runs a body with a survey of a copy, which is gone afterwards, also when a signal ends the process meanwhile.
    ///
    /// - Throws: ``ToolFault`` for a directory that is none of a runtime; what the survey and the body throw.
    static func survey<Result>(_ directory: String, _ body: (DirectorySurvey) throws -> Result) throws -> Result {
        let copy = FileManager.default.temporaryDirectory.path + "/signet-\(UUID())"
        return try Interruption.guarding {
            // Nobody is left who could be told that it failed.
            do { try Self.remove(copy) } catch { Terminal.complain("\(copy) stays: \(error)") }
        } _: { interruption in
            do {
                try DirectoryCapture(directory).copy(to: copy, until: interruption)
                let result = try body(DirectorySurvey(copy: copy))
                try Self.remove(copy)
                return result
            } catch {
                try Self.remove(copy)
                throw error
            }
        }
    }

    /// Says of a directory that is none of a runtime that it is none.
    static func check(_ directory: String) throws(ToolFault) {
        for part in DirectoryCapture.parts where !FileManager.default.fileExists(atPath: directory + "/" + part) {
            throw ToolFault("\(directory): is not the directory of a runtime; it has no \(part)/")
        }
    }

    private static func remove(_ copy: String) throws {
        guard FileManager.default.fileExists(atPath: copy) else { return }
        try FileManager.default.removeItem(atPath: copy)
    }
}
#endif
