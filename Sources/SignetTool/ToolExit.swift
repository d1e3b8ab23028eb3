//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import ArgumentParser

/// How a command ends before its end; 64, a bad command line, is the parser's.
enum ToolExit {
    /// It was done, as far as the reader of the output wanted.
    static let done = ExitCode(0)
    /// It was done, and the answer is no.
    static let no = ExitCode(1)
    /// It could not be done.
    static let failed = ExitCode(2)
}
#endif
