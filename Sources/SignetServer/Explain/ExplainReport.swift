// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetModel
import SignetTransport

/// An event and its explanation for the live page.
struct ExplainReport: Sendable {
    private let emulator: Emulator

    init(_ emulator: Emulator) {
        self.emulator = emulator
    }

    /// Returns the event with a number or a `source_message_id`.
    ///
    /// - Parameters:
    ///   - id: The number or the id.
    ///   - user: The MPID of the user; nil selects the first of the event and its copies.
    /// - Returns: The event; nil if the platform does not keep it.
    func event(_ id: String, of user: String?) -> RecordedEvent? {
        let events = self.emulator.recordedEvents(named: id).filter { user == nil || $0.event.mpid.description == user }
        // An id that a client chose may look like the number of another event.
        return events.first { "\($0.number)" == id } ?? events.first
    }

    /// Writes an event without the reasons, which take longer: its members, and its whole JSON as text.
    func writeFields(of event: RecordedEvent, to writer: inout JSONWriter) {
        writer.beginObject()
        Self.writeMembers(of: event, to: &writer)
        writer.endObject()
    }

    /// Writes an event: its members, its whole JSON as text, and the reasons.
    func write(_ event: RecordedEvent, to writer: inout JSONWriter) {
        let (_, batches, _) = self.emulator.recordedEvents(of: event.event.mpid, after: event.number - 1)
        let evidence = Explanation.Evidence(
            event: event,
            batch: batches[event.batch],
            session: self.emulator.recordedEvents(inSessionOf: event.event),
            facts: self.emulator.facts(),
            aliases: self.emulator.aliases(),
            user: self.emulator.user(event.event.mpid)
        )
        writer.beginObject()
        Self.writeMembers(of: event, to: &writer)
        writer.key("steps")
        Explanation(evidence).write(to: &writer)
        writer.endObject()
    }

    private static func writeMembers(of event: RecordedEvent, to writer: inout JSONWriter) {
        writer.member("number", event.number)
        writer.member("user", event.event.mpid.description)
        if let id = event.event.messageID { writer.member("id", id) }
        writer.member("type", event.event.type)
        writer.member("time", event.event.timestamp)
        if let name = event.event.name { writer.member("name", name) }
        // Sent as text, because a script would round whole numbers beyond 2^53.
        writer.member("data", String(decoding: JSONValue.object(event.event.data).encoded(), as: UTF8.self))
    }
}
#endif
