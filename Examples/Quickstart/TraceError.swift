//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Why a trace cannot be replayed, in the form that editors and people jump to: `file:line: reason`.
struct TraceError: Error, Hashable, CustomStringConvertible {
    let file: String
    /// From 1; nil when it is about the file as a whole.
    let line: Int?
    let reason: String

    var description: String {
        if let line = self.line { "\(self.file):\(line): \(self.reason)" } else { "\(self.file): \(self.reason)" }
    }
}
