// SPDX-License-Identifier: Apache-2.0

/// Decides if a replica must ask the shared store for the erasures of the others.
///
/// The answer of each flush says if there is one. While flushes are answered, and none is pending, nothing else is asked.
struct ErasureCheck: Sendable, Hashable {
    private enum State: Hashable {
        /// There may be erasures. Can transition to `none`.
        case unknown
        /// A flush that was sent at this uptime was answered that there is none. Can transition to `unknown`.
        case none(asked: Duration)
    }

    /// The age at which an answer counts no longer: the next one, a second later, was lost or is late.
    static let lifetime = Duration.milliseconds(1500)

    private var state = State.unknown

    /// Takes in the answer of a flush.
    ///
    /// - Parameters:
    ///   - pending: The number of erasures that wait for this replica; nil if the store does not say it.
    ///   - sent: The uptime before the flush was sent.
    /// - Returns: True if the erasures must be asked for at once.
    mutating func flushed(_ pending: Int?, sent: Duration) -> Bool {
        guard pending == 0 else {
            self.state = .unknown
            return pending != nil
        }
        // An answer that was overtaken says nothing new.
        if case .none(let asked) = self.state, asked > sent { return false }
        self.state = .none(asked: sent)
        return false
    }

    /// Takes in that a flush was not answered.
    mutating func unanswered() {
        self.state = .unknown
    }

    /// True if the erasures must be asked for.
    func isDue(at now: Duration) -> Bool {
        switch self.state {
        case .unknown: true
        case .none(let asked): now - asked >= Self.lifetime
        }
    }
}
