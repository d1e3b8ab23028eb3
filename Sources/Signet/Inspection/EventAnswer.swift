// SPDX-License-Identifier: Apache-2.0

/// The answer of a directory to the question for one event.
package enum EventAnswer: Sendable, Hashable {
    /// The places that were searched.
    package struct Look: Sendable, Hashable {
        /// The number of waiting events.
        package var events = 0
        /// The number of batches without an answer.
        package var batches = 0
        /// The number of dead letters.
        package var deadLetters = 0
    }

    /// The event waits, or is in a dead letter.
    case found(EventExplanation)
    /// The directory does not have the event: it was delivered or dropped, or never accepted.
    case missing(Look)
}
