// SPDX-License-Identifier: Apache-2.0

/// Decides which lines a runtime without an observer writes to the standard error.
///
/// Of each kind of trouble: one line at the first time, and at most one in 10 minutes while it goes on, with the count of what
/// has happened since. A trouble that lasts has a line at its end, unless its begin had none.
struct StandardErrorReports: Sendable {
    private struct Entry: Sendable {
        /// The uptime of the last line.
        var line: Duration
        /// The number of reports since.
        var count = 0
        var details = ""
    }

    /// The time between two lines about one kind of trouble.
    static let interval = Duration.seconds(600)

    private var entries: [Trouble: Entry] = [:]
    /// The troubles that last, from a line about them until the line about their end.
    private var open: Set<Trouble> = []

    /// True from a line about a trouble that lasts until the line about its end.
    func isOpen(_ trouble: Trouble) -> Bool {
        self.open.contains(trouble)
    }

    /// Something has happened.
    ///
    /// - Parameters:
    ///   - trouble: Its kind.
    ///   - details: A code or a count; empty for none.
    ///   - count: The number of times, or of things.
    ///   - now: The uptime.
    /// - Returns: The line to write; nil for none.
    mutating func happened(_ trouble: Trouble, _ details: String, count: Int = 1, now: Duration) -> String? {
        guard var entry = self.entries[trouble] else {
            return self.line(trouble, details, now: now)
        }
        entry.count += count
        entry.details = details
        self.entries[trouble] = entry
        return self.repeated(trouble, now: now)
    }

    /// Compares with what is wrong now.
    ///
    /// - Parameters:
    ///   - current: The troubles of now, with details.
    ///   - now: The uptime.
    /// - Returns: The lines to write.
    mutating func review(_ current: [(trouble: Trouble, details: String)], now: Duration) -> [String] {
        var lines: [String] = []
        for (trouble, details) in current {
            if self.entries[trouble] == nil {
                lines.append(self.line(trouble, details, now: now))
            } else if trouble.lasts {
                self.entries[trouble]?.details = details
                // It has begun again since its end: the next line says so, in its time.
                if !self.open.contains(trouble) { self.entries[trouble]?.count = 1 }
                if let line = self.repeated(trouble, now: now, isCurrent: true) { lines.append(line) }
            }
        }
        let troubles = Set(current.map(\.trouble))
        for trouble in Trouble.allCases where !troubles.contains(trouble) {
            guard let entry = self.entries[trouble] else { continue }
            if trouble.lasts {
                guard self.open.remove(trouble) != nil else { continue }
                self.entries[trouble]?.count = 0
                lines.append("signet: \(trouble.end)")
            } else if let line = self.repeated(trouble, now: now) {
                lines.append(line)
            } else if now - entry.line >= Self.interval {
                // A clock that is set has no report of its own: only a review tells, and the next time is a first one.
                self.entries[trouble] = nil
            }
        }
        return lines
    }

    /// The next line about a trouble that is known; nil before its time, or if nothing has happened since.
    private mutating func repeated(_ trouble: Trouble, now: Duration, isCurrent: Bool = false) -> String? {
        guard let entry = self.entries[trouble], now - entry.line >= Self.interval, isCurrent || entry.count > 0 else {
            return nil
        }
        let line = self.line(trouble, entry.details, now: now)
        return line + (entry.count > 0 ? " \(entry.count) since the last line." : "")
    }

    /// Notes a line about a trouble, and returns it.
    private mutating func line(_ trouble: Trouble, _ details: String, now: Duration) -> String {
        self.entries[trouble] = Entry(line: now, details: details)
        if trouble.lasts { self.open.insert(trouble) }
        return "signet: \(trouble.sentence)\(details.isEmpty ? "" : " (\(details))")"
    }
}
