// SPDX-License-Identifier: Apache-2.0

/// Decides whether another process uses a copy of this replica's directory.
///
/// Each process joins with a token of its own, and each flush is answered with the token of the last joining. Another token means one
/// of two things: the database has lost this process's joining in a failover, or another process has joined with the same id. So the
/// process joins once more. If its token is replaced again, another process is at work, and this one stops.
///
/// The process that joined last goes on: after a kill it is the only one, and its first flush finds nothing wrong.
struct DirectoryClaim: Sendable, Hashable {
    enum Action: Sendable, Hashable {
        /// The directory is this process's.
        case goOn
        /// Join with the own token once more, then call ``DirectoryClaim/joinedAgain(at:)``.
        case joinAgain
        /// Another process has the directory: no call may reach the store.
        case stop
    }

    private enum State: Hashable {
        /// No other process is known.
        case undisputed
        /// The token was replaced, and this process joined again at this uptime.
        case disputed(since: Duration)
        /// Another process has the directory. The last state.
        case lost
    }

    /// The time after which a second joining is forgotten: two failovers are not another process.
    static let memory = Duration.seconds(60)

    private var state = State.undisputed

    /// True once another process has the directory.
    var isLost: Bool { self.state == .lost }

    /// Takes in the answer of a flush.
    ///
    /// - Parameters:
    ///   - isOwn: False if another token than that of this process has joined last.
    ///   - now: The uptime.
    /// - Returns: The next step.
    mutating func flushed(isOwn: Bool, at now: Duration) -> Action {
        switch self.state {
        case .lost: return .stop
        case .disputed(let since) where now - since < Self.memory:
            guard !isOwn else { return .goOn }
            self.state = .lost
            return .stop
        case .undisputed, .disputed:
            guard isOwn else { return .joinAgain }
            self.state = .undisputed
            return .goOn
        }
    }

    /// Takes in that this process has joined once more.
    mutating func joinedAgain(at now: Duration) {
        if self.state != .lost { self.state = .disputed(since: now) }
    }
}
