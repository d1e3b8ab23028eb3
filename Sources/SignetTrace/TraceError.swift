//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Why a trace cannot be replayed, in the form that editors and people jump to: `file:line: reason`.
package struct TraceError: Error, Hashable, CustomStringConvertible {
    /// The file.
    package let file: String
    /// From 1; nil when it is about the file as a whole.
    package let line: Int?
    /// What is wrong.
    package let reason: String

    /// Makes an error.
    package init(file: String, line: Int?, reason: String) {
        self.file = file
        self.line = line
        self.reason = reason
    }

    /// The place and the reason.
    package var description: String {
        if let line = self.line { "\(self.file):\(line): \(self.reason)" } else { "\(self.file): \(self.reason)" }
    }
}
