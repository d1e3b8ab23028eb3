// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser

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
