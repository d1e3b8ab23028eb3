// SPDX-License-Identifier: Apache-2.0

/// The outcome of a batch, until it is written down and counted.
struct BatchOutcome: Sendable {
    /// The ways in which a batch ends.
    enum Kind: Sendable {
        /// The platform accepted it.
        case delivered(bytes: Int)
        /// It is a dead letter, and already written down.
        case deadLetters(SignetError)
        /// It was settled before a crash: none of its events are left to count.
        case settledBefore
    }

    let record: BatchRecord
    /// The number of its events that were still present.
    let events: Int
    /// The way in which it ended.
    let kind: Kind
}
