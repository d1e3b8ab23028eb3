// SPDX-License-Identifier: Apache-2.0

/// The turns of a journal's upkeep on the queue of its owner: at most one piece of work waits there.
struct AsideTurn: Sendable, Equatable {
    private enum Phase: Sendable, Equatable {
        case idle
        /// A piece of work is handed over, and has not begun.
        case queued
        /// One runs; `isAsked` is true if a request came meanwhile.
        case running(isAsked: Bool)
        case closed
    }

    private var phase = Phase.idle

    /// Asks for upkeep.
    ///
    /// - Returns: True if a piece of work must be handed over; otherwise one that waits or runs sees to it.
    mutating func request() -> Bool {
        switch self.phase {
        case .idle:
            self.phase = .queued
            return true
        case .running:
            self.phase = .running(isAsked: true)
            return false
        case .queued, .closed:
            return false
        }
    }

    /// Begins a piece of work.
    ///
    /// - Returns: False if there is nothing to do, because the journal was closed.
    mutating func begin() -> Bool {
        guard self.phase == .queued else { return false }
        self.phase = .running(isAsked: false)
        return true
    }

    /// Ends a piece of work.
    ///
    /// - Returns: True if another one must be handed over, because a request came meanwhile.
    mutating func end() -> Bool {
        guard case .running(let isAsked) = self.phase else { return false }
        self.phase = isAsked ? .queued : .idle
        return isAsked
    }

    /// Refuses all further work.
    mutating func close() {
        self.phase = .closed
    }
}
