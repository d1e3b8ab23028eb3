//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// A bad line of a trace: where, and what is wrong with it.
struct TraceError: Error, Equatable, CustomStringConvertible {
    let file: String
    /// From 1; 0 for the file as a whole.
    let line: Int
    let reason: String

    var description: String {
        self.line > 0 ? "\(self.file):\(self.line): \(self.reason)" : "\(self.file): \(self.reason)"
    }
}
