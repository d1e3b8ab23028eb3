// SPDX-License-Identifier: Apache-2.0

/// Decides whether this replica looks at rows that are due.
///
/// ```
/// between --begin--> under way --end--> between
/// between --stop--> over
/// under way --stop--> last --end--> over
/// ```
struct FleetLooks: Sendable {
    private enum State {
        case between
        case underWay
        /// Under way; no further one begins.
        case last
        /// The runtime ends: other replicas look.
        case over
    }

    private var state = State.between

    /// Begins a look.
    ///
    /// - Returns: False if none may begin.
    mutating func begin() -> Bool {
        guard case .between = self.state else { return false }
        self.state = .underWay
        return true
    }

    /// Ends the look that is under way.
    mutating func end() {
        switch self.state {
        case .underWay: self.state = .between
        case .last: self.state = .over
        case .between, .over: break
        }
    }

    /// Lets no further look begin.
    ///
    /// - Returns: True if one is under way, whose end must be awaited.
    mutating func stop() -> Bool {
        switch self.state {
        case .underWay, .last:
            self.state = .last
            return true
        case .between, .over:
            self.state = .over
            return false
        }
    }
}
