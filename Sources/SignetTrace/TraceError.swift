// SPDX-License-Identifier: Apache-2.0

/// The reason for which a trace cannot be replayed, in the form that editors can jump to: `file:line: reason`.
package struct TraceError: Error, Hashable, CustomStringConvertible {
    /// The file.
    package let file: String
    /// The line number, from 1; nil when the error concerns the whole file.
    package let line: Int?
    /// The description of the error.
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
