//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation

/// Shows on standard error how far a replay is: in one line on a terminal, in quarters elsewhere.
struct ProgressLine {
    private let total: Int
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var done = 0

    init(total: Int) {
        self.total = total
    }

    /// One more line is done.
    mutating func advance(to milliseconds: Int64) {
        self.done += 1
        let step = self.isTerminal ? max(1, self.total / 200) : max(1, self.total / 4)
        guard self.done % step == 0 || self.done == self.total else { return }
        let minutes = milliseconds / 60_000
        let time = String(format: "%02lld:%02lld", minutes / 60, minutes % 60)
        let text = "\(time) of the day, \(self.done) of \(self.total) lines"
        self.write(self.isTerminal ? "\r\u{1B}[K\(text)" : "\(text)\n")
    }

    /// All lines are done.
    func finish() {
        if self.isTerminal { self.write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
