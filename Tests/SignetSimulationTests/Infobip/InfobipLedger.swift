// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// The book that all processes and the network write into, and the story for who reads it.
final class InfobipLedger: Sendable {
    private let state = Locked((book: InfobipBook(), story: [String]()))

    @discardableResult
    func with<Result>(_ body: (inout InfobipBook) -> Result) -> Result {
        self.state.withLock { state in
            let before = state.book.violations.count
            defer {
                for violation in state.book.violations[before...] { state.story.append("VIOLATION: \(violation)") }
            }
            return body(&state.book)
        }
    }

    /// Writes down what happens.
    func tell(_ text: String) {
        self.state.withLock { $0.story.append(text) }
    }

    var story: [String] {
        self.state.withLock { $0.story }
    }
}
