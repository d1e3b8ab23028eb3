// SPDX-License-Identifier: Apache-2.0

#if Tool
import SignetTransport

/// The sessions in a user's events.
struct SessionReport: Sendable {
    private struct Session {
        let id: Int64
        var first: Int64
        var last: Int64
        var events = 0
        var isEnded = false
    }

    private var sessions: [Session] = []

    init(_ events: [KnownEvent]) {
        var positions: [Int64: Int] = [:]
        for event in events {
            guard let id = event.session else { continue }
            let position = positions[id] ?? self.sessions.count
            if position == self.sessions.count {
                positions[id] = position
                self.sessions.append(Session(id: id, first: event.time, last: event.time))
            }
            self.sessions[position].first = min(self.sessions[position].first, event.time)
            self.sessions[position].last = max(self.sessions[position].last, event.time)
            self.sessions[position].events += 1
            if event.type == "session_end" { self.sessions[position].isEnded = true }
        }
    }

    /// Writes the sessions, latest first.
    func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for session in self.sessions.sorted(by: { $0.first > $1.first }).prefix(KnowledgeReport.eventLimit) {
            writer.beginObject()
            writer.key("id")
            writer.quoted(session.id)
            writer.member("first", session.first)
            writer.member("last", session.last)
            writer.member("events", session.events)
            writer.member("isEnded", session.isEnded)
            writer.endObject()
        }
        writer.endArray()
    }
}
#endif
