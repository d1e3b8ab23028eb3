// SPDX-License-Identifier: Apache-2.0

extension JournalState {
    /// The frames and acknowledgements that a flush covers: recorded at its start, valid once it succeeds.
    struct Position: Sendable, Equatable {
        /// The sequence of the newest frame.
        var sequence: UInt64 = 0
        /// The number of acknowledgements written.
        var acknowledgements = 0
    }

    /// The position up to now, which a flush would cover.
    var current: Position {
        Position(sequence: self.lastSequence, acknowledgements: self.acknowledgements.written)
    }

    /// True if a flush has covered a position.
    func covers(_ position: Position) -> Bool {
        self.synced.sequence >= position.sequence && self.synced.acknowledgements >= position.acknowledgements
    }
}
