// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A row of the table: processor time, so that others on the machine count little.
enum Series {
    /// Measures a body and prints its median with the lowest and the highest.
    ///
    /// - Parameters:
    ///   - name: What is measured.
    ///   - rounds: How often.
    ///   - count: How many of what is measured one round does.
    ///   - goal: What it should be.
    ///   - body: One round.
    static func measure(
        _ name: String,
        rounds: Int,
        each count: Int = 1,
        goal: String = "",
        _ body: () -> Void
    ) {
        body()
        let times = (0..<rounds).map { _ in
            let begin = Self.microseconds()
            body()
            return (Self.microseconds() - begin) / Double(count)
        }.sorted()
        let figures = [times[times.count / 2], times[0], times[times.count - 1]].map(Self.text)
        print("| \(name) | \(figures[0]) us | \(figures[1]) | \(figures[2]) | \(goal) |")
    }

    private static func microseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    private static func text(_ microseconds: Double) -> String {
        let hundredths = Int((microseconds * 100).rounded())
        let rest = hundredths % 100
        return microseconds >= 100 ? String(hundredths / 100) : "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
