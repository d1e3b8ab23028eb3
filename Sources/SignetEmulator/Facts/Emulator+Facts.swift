// SPDX-License-Identifier: Apache-2.0

package import struct SignetModel.IdentityType
package import struct SignetModel.MPID

// The facts behind the state, for explanations.
extension Emulator {
    /// Returns the last identity requests and deliveries that reached the platform, in the order of arrival.
    package func facts() -> [PlatformFact] {
        self.withState { (state, _) in state.facts.all }
    }

    /// Returns the users that hold an identity, in ascending order of their MPIDs.
    package func holders(of value: String, _ type: IdentityType) -> [MPID] {
        self.withState { (state, _) in state.users.holders(of: value, type).sorted() }
    }

    /// Returns the later events of a user, and the batches that brought them, by position.
    ///
    /// - Parameters:
    ///   - mpid: The user's MPID.
    ///   - number: The number after which to begin; 0 returns all events that the platform keeps.
    /// - Returns: The events in the order of arrival, the batches, and the number of all events of the user.
    package func recordedEvents(
        of mpid: MPID,
        after number: Int
    ) -> (events: [RecordedEvent], batches: [Int: EmulatedBatch], total: Int) {
        self.withState { (state, _) in state.eventHandler.recorded(of: mpid, after: number) }
    }

    /// Returns the events with a number or a `source_message_id`; several if aliases copied one.
    ///
    /// - Parameter id: The decimal number, or the id.
    /// - Returns: The events in the order of arrival.
    package func recordedEvents(named id: String) -> [RecordedEvent] {
        self.withState { (state, _) in state.eventHandler.recorded(named: id) }
    }

    /// Returns the events of the session of an event, of all users who were current in it and without copies.
    ///
    /// - Parameter event: The event; without a session, no event is returned.
    /// - Returns: The events in the order of arrival.
    package func recordedEvents(inSessionOf event: EmulatedEvent) -> [RecordedEvent] {
        self.withState { (state, _) in state.eventHandler.recorded(inSessionOf: event) }
    }
}
