//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
extension ScratchFolder {
    /// Runs a body with a folder of its own, which is gone afterwards, also when a signal ends the process meanwhile; one
    /// that cannot be caught leaves it to the next command.
    ///
    /// - Throws: ``ToolFault`` when it cannot be made; what the body throws.
    static func using<Result>(_ body: (_ files: String) async throws -> Result) async throws -> Result {
        Self.tidy()
        let folder = ScratchFolder()
        return try await Interruption.guarding {
            folder.leave()
        } _: {
            let hold = try folder.make()
            do {
                let result = try await body(folder.files)
                try folder.remove()
                hold.end()
                return result
            } catch {
                folder.leave()
                throw error
            }
        }
    }

    /// Removes what others have left, which is no reason to fail.
    static func tidy() {
        do { try Self.removeLeft() } catch { Terminal.complain("an earlier folder stays: \(error)") }
    }

    /// Removes it where there is no one, or something worse, to be told of.
    ///
    /// Tried twice: while a signal ends the process, its body may make one more file.
    func leave() {
        do { try self.remove() } catch {
            do { try self.remove() } catch { Terminal.complain("\(self.path) stays: \(error)") }
        }
    }
}
#endif
