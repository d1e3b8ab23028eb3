// SPDX-License-Identifier: Apache-2.0

/// Lets at most one line of each kind through in a minute, and counts what it holds back.
struct LineLimiter: Sendable {
    /// The reports that one line is about.
    struct Reports: Sendable, Hashable {
        /// The number of times, or of things.
        var count = 0
        /// The codes and causes, each once.
        var details: Set<String> = []
    }

    private struct Entry: Sendable {
        /// The uptime of the last line.
        var line: Duration
        /// The reports since; nil if there are none.
        var held: Reports?
    }

    /// The least time between two lines of one kind.
    static let interval = Duration.seconds(60)

    private var entries: [Trouble: Entry] = [:]

    /// Counts a report.
    ///
    /// - Parameters:
    ///   - trouble: Its kind.
    ///   - details: A code or a cause; empty for none.
    ///   - count: The number of times, or of things.
    ///   - now: The uptime.
    /// - Returns: All reports since the last line, for a line now; nil if it is held back.
    mutating func report(_ trouble: Trouble, _ details: String, count: Int, now: Duration) -> Reports? {
        var reports = self.entries[trouble]?.held ?? Reports()
        reports.count += count
        if !details.isEmpty { reports.details.insert(details) }
        if let entry = self.entries[trouble], now - entry.line < Self.interval {
            self.entries[trouble]?.held = reports
            return nil
        }
        self.entries[trouble] = Entry(line: now)
        return reports
    }

    /// Returns what was held back and whose minute is over.
    mutating func due(now: Duration) -> [Trouble: Reports] {
        self.take(now: now) { now - $0.line >= Self.interval }
    }

    /// Returns all that was held back: nothing follows.
    mutating func rest(now: Duration) -> [Trouble: Reports] {
        self.take(now: now) { _ in true }
    }

    /// Drops what was held back of a kind.
    mutating func forget(_ trouble: Trouble) {
        self.entries[trouble]?.held = nil
    }

    private mutating func take(now: Duration, where isDue: (Entry) -> Bool) -> [Trouble: Reports] {
        let due = self.entries.filter { $0.value.held != nil && isDue($0.value) }
        for trouble in due.keys { self.entries[trouble] = Entry(line: now) }
        return due.compactMapValues(\.held)
    }
}
