// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser

/// The reason for which a command cannot be done.
struct ToolFault: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    /// Runs a body; prints an error on standard error and ends the command with 2, or with the exit code that the body throws.
    static func exiting<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let exit as ExitCode {
            throw exit
        } catch let fault as ToolFault {
            Terminal.complain(fault.message)
        } catch {
            Terminal.complain("\(error)")
        }
        throw ToolExit.failed
    }
}

/// The exit codes of a command that ends early; 64, for a bad command line, is the parser's.
enum ToolExit {
    /// The command was done, as far as the reader of the output wanted.
    static let done = ExitCode(0)
    /// The command was done, and the answer is no.
    static let no = ExitCode(1)
    /// The command could not be done.
    static let failed = ExitCode(2)
}
#endif
