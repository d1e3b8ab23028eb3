// SPDX-License-Identifier: Apache-2.0

/// Decides which lines a runtime without an observer writes to the standard error.
///
/// One at the start; then losses, damage, and changes of the health. ``LineLimiter`` holds back what comes too often. The end
/// of the runtime writes what is held back then.
struct StandardErrorReports: Sendable {
    private var limiter = LineLimiter()
    /// The troubles that the health has, with the facts of the last report.
    private var troubles: [Trouble: String] = [:]

    /// Makes the line at the start.
    ///
    /// - Parameter eventsWaiting: The events of earlier runs that wait.
    /// - Returns: The line.
    static func start(eventsWaiting: Int) -> String {
        "signet: The runtime runs. \(eventsWaiting) events of earlier runs wait."
            + " Without an observer or a logger, losses, damage and changes of the health are written here."
    }

    /// True if the health has the trouble, as far as lines were asked for.
    func isOpen(_ trouble: Trouble) -> Bool {
        self.troubles[trouble] != nil
    }

    /// Counts a loss or a damage; of the health, notes the begin of a trouble.
    ///
    /// - Parameters:
    ///   - trouble: Its kind.
    ///   - details: A code or a cause; empty for none.
    ///   - count: The number of times, or of things.
    ///   - now: The uptime.
    /// - Returns: The line to write; nil for none.
    mutating func happened(_ trouble: Trouble, _ details: String, count: Int = 1, now: Duration) -> String? {
        let isChange = trouble.end != nil && self.troubles.updateValue(details, forKey: trouble) == nil
        if trouble.unit != nil {
            return self.limiter.report(trouble, details, count: count, now: now).map { self.line(trouble, $0) }
        }
        return isChange ? self.change(of: trouble, now: now) : nil
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
            // Its losses were reported one by one.
            let isChange = self.troubles.updateValue(details, forKey: trouble) == nil
            if isChange, let line = self.change(of: trouble, now: now) { lines.append(line) }
        }
        let names = Set(current.map(\.trouble))
        for trouble in Trouble.allCases where self.troubles[trouble] != nil && !names.contains(trouble) {
            self.troubles[trouble] = nil
            if let other = trouble.otherDegree, names.contains(other) {
                self.limiter.forget(trouble)
            } else if let line = self.change(of: trouble, now: now) {
                lines.append(line)
            }
        }
        let due = self.limiter.due(now: now)
        return lines + self.lines(due)
    }

    /// Returns the lines that are held back: the runtime ends.
    mutating func rest(now: Duration) -> [String] {
        let rest = self.limiter.rest(now: now)
        return self.lines(rest)
    }

    /// The health has got a trouble, or has lost one.
    private mutating func change(of trouble: Trouble, now: Duration) -> String? {
        self.limiter.report(trouble, "", count: trouble.unit == nil ? 1 : 0, now: now).map { self.line(trouble, $0) }
    }

    private func lines(_ due: [Trouble: LineLimiter.Reports]) -> [String] {
        Trouble.allCases.compactMap { trouble in due[trouble].map { self.line(trouble, $0) } }
    }

    private func line(_ trouble: Trouble, _ reports: LineLimiter.Reports) -> String {
        var facts: [String] = []
        var sentence = trouble.sentence
        if let unit = trouble.unit, reports.count > 0 {
            facts = ["\(reports.count) \(unit)\(reports.count == 1 ? "" : "s")"] + reports.details.sorted()
        } else {
            if let details = self.troubles[trouble] {
                if !details.isEmpty { facts.append(details) }
            } else if let end = trouble.end {
                sentence = end
            }
            if reports.count > 1 { facts.append("\(reports.count) changes") }
        }
        return "signet: \(sentence)\(facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))")"
    }
}
