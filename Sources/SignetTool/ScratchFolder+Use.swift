// SPDX-License-Identifier: Apache-2.0

#if Tool
extension ScratchFolder {
    /// Runs a body with a folder of its own, and removes the folder afterwards, also when a signal ends the process.
    ///
    /// After a signal that cannot be caught, the next command removes it.
    ///
    /// - Throws: ``ToolFault`` when the folder cannot be made; the errors of the body.
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

    /// Removes folders that killed processes have left; an error is printed, not thrown.
    static func tidy() {
        do { try Self.removeLeft() } catch {
            Terminal.complain("an earlier temporary folder could not be removed: \(error)")
        }
    }

    /// Removes the folder where no caller can handle an error, or a worse one is thrown already.
    ///
    /// It tries twice: while a signal ends the process, the body may make one more file.
    func leave() {
        do { try self.remove() } catch {
            do { try self.remove() } catch { Terminal.complain("\(self.path): cannot be removed: \(error)") }
        }
    }
}
#endif
