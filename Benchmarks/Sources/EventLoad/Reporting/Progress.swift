// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One line on standard error that says what goes on.
struct Progress: Sendable {
    let scenario: String
    private let isTerminal = isatty(2) == 1

    init(scenario: String) {
        self.scenario = scenario
    }

    /// Shows where the scenario is; on a terminal it overwrites the line before.
    func show(_ text: String) {
        let line = "\(self.scenario): \(text)"
        Self.write(self.isTerminal ? "\r\u{1B}[K\(line)" : "\(line)\n")
    }

    /// Removes the line.
    func end() {
        if self.isTerminal { Self.write("\r\u{1B}[K") }
    }

    /// Says something that nobody can do anything about now.
    static func complain(_ text: String) {
        Self.write("event-load: \(text)\n")
    }

    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(2, $0.baseAddress, $0.count) }
    }
}
