// SPDX-License-Identifier: Apache-2.0

/// An event of a user with its place in the order of arrival.
package struct RecordedEvent: Sendable, Hashable {
    /// The unique number, from 1, in the order of arrival; a copy by an alias has a number of its own.
    package let number: Int
    /// The position of the batch among all batches, from 0.
    package let batch: Int
    /// The event.
    package let event: EmulatedEvent
}
