// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetModel
import SignetTransport

/// The reasons why an event belongs to its user and session, in the order in which they took place.
///
/// Texts hold whole numbers; the page shortens them. Times of events and identity calls are the client's, all others the
/// platform's: with wrong clocks the order of the steps is that of their kinds.
struct Explanation: Sendable {
    /// The kind of a reason.
    enum Kind: String, Sendable, Hashable {
        case launch, identity, join, session, event, consent, context, batch, attempt, left
    }

    /// A reason.
    struct Step: Sendable, Hashable {
        let kind: Kind
        /// Milliseconds since 1970; nil for what has no time.
        let time: Int64?
        let title: String
        let detail: String
    }

    /// The recorded facts that explain an event.
    struct Evidence: Sendable {
        /// The event to explain.
        let event: RecordedEvent
        /// The batch that brought it; nil if the platform has forgotten it.
        let batch: EmulatedBatch?
        /// The events of the same session, of all users who were current in it, in the order of arrival.
        let session: [RecordedEvent]
        let facts: [PlatformFact]
        let aliases: [EmulatedAlias]
        /// The user; nil if it is gone.
        let user: EmulatedUser?

        /// True when the platform has forgotten the requests before the first of `facts`.
        var isPartial: Bool {
            (self.facts.first?.number ?? 1) > 1
        }
    }

    /// The maximum number of identity calls and of attempts; the latest are kept.
    static let limit = 5

    let steps: [Step]

    /// Explains an event; a pure function of the evidence.
    init(_ evidence: Evidence) {
        let logged = evidence.event.event.copiedFrom ?? evidence.event.event.mpid
        let calls = IdentityReasons(evidence, of: logged)
        self.steps =
            Self.launch(evidence) + calls.before + Self.profile(evidence) + SessionReasons(evidence).steps
            + [Self.event(evidence, logged, isEarly: calls.isEarly)] + Self.joins(evidence)
            + BatchReasons(evidence).steps + calls.after
    }

    private static func launch(_ evidence: Evidence) -> [Step] {
        let event = evidence.event.event
        let launch = evidence.session.map(\.event).last {
            $0.data["application_transition_type"]?.string == "application_initialized"
                && $0.timestamp <= event.timestamp
        }
        guard let launch else { return [] }
        let application = EmulatedBatch.summary(of: evidence.batch?.applicationInfo ?? [:])
        return [Step(kind: .launch, time: launch.timestamp, title: "The application was launched", detail: application)]
    }

    private static func profile(_ evidence: Evidence) -> [Step] {
        guard let user = evidence.user, let source = user.source else { return [] }
        let detail = "profile link: user \(user.mpid) continues from the anonymous user \(source)"
        return [Step(kind: .join, time: user.firstSeen.milliseconds, title: "A known user was created", detail: detail)]
    }

    private static func event(_ evidence: Evidence, _ logged: MPID, isEarly: Bool) -> Step {
        let event = evidence.event.event
        let isNamed = evidence.batch?.json["mpid"] != nil
        return Step(
            kind: .event,
            time: event.timestamp,
            title: isEarly
                ? "The event was logged before user \(logged) was current"
                : "The event was logged while user \(logged) was current",
            detail: (isEarly ? "by the client's clock; the client gave it to the first user after it; " : "")
                + (isNamed
                    ? "the batch names this user by MPID"
                    : "the batch names no MPID; its identities resolved to this user")
        )
    }

    private static func joins(_ evidence: Evidence) -> [Step] {
        let event = evidence.event.event
        return evidence.aliases.compactMap { alias in
            let window = alias.start.milliseconds...max(alias.start.milliseconds, alias.end.milliseconds)
            guard window.contains(event.timestamp) else { return nil }
            let isCopy = alias.source == event.copiedFrom && alias.destination == event.mpid
            guard isCopy || alias.source == event.mpid else { return nil }
            // An alias copies what has arrived when it is carried out, and nothing later.
            let isLate = evidence.batch.map { $0.receivedAt.milliseconds >= alias.due } ?? false
            let other =
                isLate
                ? "An alias was carried out before the event arrived"
                : "An alias \(alias.isProcessed ? "counts" : "will count") the event for another user too"
            return Step(
                kind: .join,
                time: alias.receivedAt.milliseconds,
                title: isCopy ? "An alias copied the event to this user" : other,
                detail: "alias from \(alias.source) to \(alias.destination), "
                    + (alias.isProcessed ? "carried out" : "accepted, not yet carried out")
            )
        }
    }

    /// Writes the steps as an array.
    func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for step in self.steps {
            writer.beginObject()
            writer.member("kind", step.kind.rawValue)
            if let time = step.time { writer.member("time", time) }
            writer.member("title", step.title)
            writer.member("detail", step.detail)
            writer.endObject()
        }
        writer.endArray()
    }
}

extension EmulatedBatch {
    /// Returns the texts of `device_info` or `application_info` as a person reads them, in a fixed order.
    static func summary(of members: [String: String]) -> String {
        members.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
#endif
