// SPDX-License-Identifier: Apache-2.0

#if Tool
import Signet

import class FoundationEssentials.FileManager

/// A copy of a runtime's directory, read in place of the directory itself.
enum DirectoryCopy {
    /// Runs a body with a survey of a copy, and removes the copy afterwards, also when a signal ends the process.
    ///
    /// After a signal that cannot be caught, the next command removes it.
    ///
    /// - Throws: ``ToolFault`` for a directory that is not a runtime's; the errors of the survey and the body.
    static func survey<Result>(_ directory: String, _ body: (DirectoryInspector) throws -> Result) throws -> Result {
        ScratchFolder.tidy()
        let folder = ScratchFolder()
        return try Interruption.guarding {
            folder.leave()
        } _: { interruption in
            let capture = try DirectoryCapture(directory)
            let hold = try folder.make()
            do {
                try capture.copy(to: folder.files, until: interruption)
                let result = try body(DirectoryInspector(copy: folder.files))
                try folder.remove()
                hold.end()
                return result
            } catch {
                folder.leave()
                throw error
            }
        }
    }

    /// Throws if a directory is not a runtime's.
    static func check(_ directory: String) throws(ToolFault) {
        for part in DirectoryCapture.parts where !FileManager.default.fileExists(atPath: directory + "/" + part) {
            throw ToolFault("\(directory): is not the directory of a runtime: \(part)/ is missing")
        }
    }
}
#endif
