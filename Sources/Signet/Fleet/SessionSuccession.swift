// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

/// Decides about events whose session is not open in the row of their installation.
///
/// The session of the row was over when they were logged, or there was none: they begin one. Another process may have begun it
/// meanwhile, or may have events of the session before it that it has not told. The others are late.
///
/// `read --the row--> ask --no other is awaited--> commit --> end`. The last flushes of a process do not ask.
/// Each state may end early: the row is removed, the session is open, another process is awaited, or the store fails.
struct SessionSuccession: Sendable {
    /// The next step.
    enum Step: Sendable, Hashable {
        /// Read the row.
        case read
        /// Ask up to which moment all replicas have told their activity.
        case ask
        /// Commit the begin of the session.
        case commit
        case end(Ending)
    }

    enum Ending: Sendable, Hashable {
        /// The session is begun, and has the events.
        case begun
        /// The session is over: the events do not count for it.
        case late
        /// A later flush tells the events again, or an end counts them. Not answered: the store is away, or the task was cancelled.
        case waits(isAnswered: Bool)
        /// The row is removed: what waits is dropped when its batch is cut.
        case gone
    }

    private enum State {
        /// The row is read, and the others are asked: nothing is changed.
        case deciding
        /// The commit is sent: it may count, whatever is heard of it.
        case committing
    }

    private let session: UUID
    /// True at the end of the process: no later flush begins the session.
    private let isLast: Bool
    private var state = State.deciding

    init(of session: UUID, isLast: Bool) {
        (self.session, self.isLast) = (session, isLast)
    }

    /// Takes in the row.
    ///
    /// - Parameters:
    ///   - isGone: True if it is removed.
    ///   - row: Its open session.
    /// - Returns: The next step.
    func read(isGone: Bool, openSession row: UUID?) -> Step {
        guard !isGone else { return .end(.gone) }
        guard row != self.session else { return .end(.waits(isAnswered: true)) }
        return self.isLast ? .commit : .ask
    }

    /// Takes in the answer of the other replicas.
    ///
    /// - Parameter isAwaited: True if one of them may still tell events of the session that is open in the row.
    /// - Returns: The next step.
    func asked(isAwaited: Bool) -> Step {
        isAwaited ? .end(.waits(isAnswered: true)) : .commit
    }

    /// Takes in that the commit goes out now.
    mutating func sends() {
        self.state = .committing
    }

    /// Takes in the answer of the commit.
    ///
    /// - Parameters:
    ///   - isBegun: True if it began the session.
    ///   - row: The open session of the row after it.
    /// - Returns: The end.
    func committed(isBegun: Bool, openSession row: UUID?) -> Ending {
        if isBegun { return .begun }
        return row == self.session ? .waits(isAnswered: true) : .late
    }

    /// Takes in that a step failed.
    ///
    /// - Parameters:
    ///   - code: The error.
    ///   - isGone: True if the row is removed.
    /// - Returns: The end.
    func failed(_ code: SignetError.Code, isGone: Bool) -> Ending {
        guard !isGone else { return .gone }
        switch code {
        case .storeUnreachable, .storeBusy, .storeFailed: return .waits(isAnswered: false)
        // Nothing was sent. A shutdown that cuts this off tells it once more.
        case .cancelled where self.state != .committing: return .waits(isAnswered: false)
        default: return .late
        }
    }
}
