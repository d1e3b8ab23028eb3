// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator

/// The begin and the end of the session of an event.
struct SessionReasons: Sendable {
    let steps: [Explanation.Step]

    init(_ evidence: Explanation.Evidence) {
        guard let session = evidence.event.event.session else {
            self.steps = [
                Explanation.Step(
                    kind: .session,
                    time: nil,
                    title: "The event belongs to no session",
                    detail: "it was logged outside a session, or by a client without sessions"
                )
            ]
            return
        }
        let events = evidence.session.map(\.event)
        let users = Set(events.map(\.mpid))
        var steps: [Explanation.Step] = []
        let start = events.first { $0.type == "session_start" }
        if let first = start?.timestamp ?? events.map(\.timestamp).min() {
            steps.append(
                Explanation.Step(
                    kind: .session,
                    time: first,
                    title: start == nil
                        ? "The begin of the session is not here; this is its first event that is" : "The session began",
                    detail: "session \(session), \(events.count) events"
                        + (users.count > 1 ? ", \(users.count) users were current in it" : "")
                )
            )
        }
        if let end = events.last(where: { $0.type == "session_end" }) {
            steps.append(Explanation.Step(kind: .session, time: end.timestamp, title: "The session ended", detail: ""))
        }
        self.steps = steps
    }
}
#endif
