// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import Signet
import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

/// The explanation of an event for people; ``json`` has the same for programs.
struct ExplainReport {
    let event: EventExplanation

    init(_ event: EventExplanation) {
        self.event = event
    }

    /// The sentence for an event that the directory does not have.
    static func missing(_ id: UUID, in directory: String, _ look: EventAnswer.Look) -> String {
        "\(directory) does not have the event \(id.uuidString): it was delivered or dropped, or never accepted here. "
            + "Searched were \(look.events.of("waiting event", "waiting events")), "
            + "\(look.batches.of("batch", "batches")) without an answer and "
            + "\(look.deadLetters.of("dead letter", "dead letters")). Events that the disk refused are in the memory of the process alone."
    }

    /// Paragraphs with a title each.
    var text: String {
        let name = self.event.name.map { " \"\($0)\"" } ?? ""
        let time = self.event.milliseconds.map { ", logged \(Self.date($0))" } ?? ""
        var lines = ["\(self.event.kind)\(name) \(self.event.id.uuidString)\(time)"]
        for (title, facts) in [
            ("delivery", self.delivery), ("installation", self.installation), ("user", self.user),
            ("session", self.session), ("consent", self.consent), ("context", self.context),
        ] {
            lines.append(title)
            lines += facts.map { "  " + $0 }
        }
        return lines.joined(separator: "\n")
    }

    static func date(_ milliseconds: Int64) -> String {
        HTTPDate.rfc1123(milliseconds: milliseconds)
    }

    // MARK: - Paragraphs

    private var delivery: [String] {
        var lines: [String] = []
        if let letter = self.event.deadLetter {
            let date = letter.milliseconds.map { " since \(Self.date($0))" } ?? ""
            let status = letter.status.map { "status \($0): " } ?? ""
            let events = letter.events.of("event", "events")
            lines.append("in the dead letter \(letter.id.uuidString)\(date), one of \(events)")
            lines.append("cause: \(status)\(letter.reason)")
            lines.append("it is not sent again by itself; see signet journal resend")
        }
        if let sequence = self.event.sequence { lines.append("waits in the journal as number \(sequence)") }
        if let batch = self.event.batch {
            let size = "\(batch.events.of("event", "events")), \(batch.bytes.of("byte", "bytes"))"
            lines.append("planned in the batch \(batch.id.uuidString) (\(size)), which may have been sent")
            lines.append("tries of a batch are not recorded one by one; the platform knows a repeated batch by its id")
        } else if self.event.deadLetter == nil {
            lines.append("in no batch yet: batches are cut when they are full or due")
        }
        if self.event.isWithdrawn {
            lines.append("it will not be sent: the installation opted out after it")
        }
        if let pause = self.event.pause {
            lines.append(
                "uploads paused at \(Self.date(pause.begin)) for \(Self.seconds(pause.length)): "
                    + "\(pause.reason); failed tries in a row: \(pause.failures)"
            )
        }
        return lines
    }

    private var installation: [String] {
        let facts = self.event.installation
        guard let id = facts.id else {
            return ["unknown: the directory has forgotten the installation with number \(facts.number)"]
        }
        var lines = ["\(id.rawValue), number \(facts.number) in this directory"]
        if let stamp = facts.deviceApplicationStamp, let created = facts.createdAt {
            lines.append("device application stamp \(stamp.uuidString), first opened \(Self.date(created))")
        } else {
            lines.append("its record is not in this directory; a shared store may have it")
        }
        if let launch = facts.launch {
            let version = launch.version.map { " of version \($0)" } ?? ""
            let name = "launch \(launch.count)\(version)"
            let place = self.event.isLogged(in: launch) ? "in \(name)" : "before \(name), the last one"
            lines.append("logged \(place), which began \(Self.date(launch.last))")
        }
        if facts.optOut.isCurrent { lines.append("it has opted out") }
        return lines
    }

    private var user: [String] {
        let facts = self.event.user
        var lines = [(facts.mpid.map { "MPID \($0): " } ?? "") + Self.sentence(facts.reason)]
        if let stored = facts.stored {
            let kind = stored.isKnown ? "known" : "anonymous"
            lines.append(
                "\(kind) by the last answer; current since \(Self.date(stored.firstSeen)), seen until "
                    + Self.date(stored.lastSeen)
            )
            lines += stored.identities.map { "\($0.type) set \(Self.date($0.since))" }
        } else if facts.mpid != nil {
            lines.append("nothing more of this user is in the directory")
        }
        if let current = facts.current, current != facts.mpid {
            lines.append("the current user is now MPID \(current)")
        }
        lines += facts.identityChanges.map { change in
            "identities changed \(Self.date(change.milliseconds)) (number \(change.sequence))"
        }
        lines += facts.aliases.map { alias in
            "an alias from \(alias.source) to \(alias.destination) has no answer yet; its time "
                + (self.event.isCovered(by: alias) ? "covers this event" : "does not cover this event")
        }
        if !facts.services.isEmpty {
            lines.append("\(facts.services.joined(separator: ", ")) must still follow a change of this user")
        }
        return lines
    }

    private var session: [String] {
        guard let session = self.event.session else { return ["none: it was logged outside of a session"] }
        let begin = session.start.map { ", began \(Self.date($0))" } ?? ""
        var lines = [session.uuid.uuidString + begin]
        switch session.state {
        case .open(let events, let last):
            lines.append("open, \(events.of("event", "events")) so far, the last \(Self.date(last))")
        case .ended(let end): lines.append("ended; its last event was \(Self.date(end))")
        case .past: lines.append("over, or not in this directory")
        }
        if let begin = session.begin { lines.append("its session_start waits as number \(begin.sequence)") }
        if let end = session.end { lines.append("its session_end waits as number \(end.sequence)") }
        return lines
    }

    private var consent: [String] {
        let facts = self.event.consent
        let source =
            switch facts.source {
            case .batch: "as the batch carries it"
            case .user: "of the user, now; the batch takes it when it is cut"
            case .installation: "of the installation, now; the batch takes it when it is cut"
            case .departedUser: "of an ephemeral user who has left"
            case .beforeFirstUser: "given before the first user"
            case .none: "none is recorded"
            }
        return [source] + facts.answers.map { "\($0.purpose): \($0.isGiven ? "yes" : "no")" }
    }

    private var context: [String] {
        let facts = self.event.context
        var lines: [String] = []
        if let environment = facts.environment { lines.append("environment \(environment)") }
        if let plan = facts.plan {
            lines.append("data plan \(plan)" + (facts.planVersion.map { ", version \($0)" } ?? ""))
        }
        if facts.application != nil || facts.applicationVersion != nil {
            let words = ["app", facts.application, facts.applicationVersion]
            lines.append(words.compactMap(\.self).joined(separator: " "))
        }
        if let device = facts.device { lines.append("device \(device)") }
        if facts.hasAddress { lines.append("an IP address") }
        return lines.isEmpty ? ["none beyond the configuration at the time of sending"] : lines
    }

    private static func sentence(_ reason: EventExplanation.UserReason) -> String {
        switch reason {
        case .current: "the current user at the call"
        case .first: "nobody was current at the call; the first user after it owns the event"
        case .erased: "nobody was current at the call, and the first user after it was erased; the event is not sent"
        case .waiting: "nobody yet; the event waits for the first user of the installation"
        case .batch: "the user of its batch, who was current at the call or the first user after it"
        case .unknown: "nobody was current at the call, and the record of the installation is not in this directory"
        }
    }

    private static func seconds(_ duration: Duration) -> String {
        duration == .zero ? "the life of that process" : "\(duration.components.seconds) s"
    }
}
#endif
