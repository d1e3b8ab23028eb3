// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One line on the standard error that is written anew each time another hundredth is done; nothing in a file or a pipe.
final class ProgressLine {
    private let total: Int
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var percent = -1

    init(total: Int) {
        self.total = total
    }

    /// So many are done.
    func show(_ done: Int) {
        let percent = self.total == 0 ? 100 : done * 100 / self.total
        guard self.isTerminal, percent != self.percent else { return }
        self.percent = percent
        let line = "\rReplaying: \(percent) %, \(done) of \(self.total) lines"
        FileHandle.standardError.write(Data((line + (done == self.total ? "\n" : "")).utf8))
    }
}
