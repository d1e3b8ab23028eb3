// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

extension InstallationCore {
    /// The result of logging one event.
    private enum Step {
        /// It is in the journal under this number.
        case logged(UInt64)
        /// The disk refused the event.
        case failed(SignetError)
        /// Logging it takes more than a write.
        case more
    }

    /// The maximum size of an event's JSON in bytes, so that it fits into a batch beside its user.
    private static let maximumEventSize = 100 * 1024

    /// Logs an event: when this returns, the event survives the death of the process.
    ///
    /// The JSON of its details is made before the lock is taken; the lock covers only its stamp and the journal append.
    func log(_ event: Event) throws(SignetError) {
        if let violation = EventLimits.violation(of: event) {
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        var details = EventBody.details(of: event)
        if case .crash(let report) = event.content { details = self.details(of: report, event) }
        let size = EventHead.maximumCount + details.json.count
        guard size <= Self.maximumEventSize else {
            throw SignetError(
                .invalidArgument,
                "The event has \(size) bytes of JSON; at most \(Self.maximumEventSize) are allowed (a batch: 128 KB)."
            )
        }
        let urgency = event.urgency
        if event.isUploaded {
            switch self.state.withLock({ self.logOn(details, urgency, &$0) }) {
            case .logged(let sequence):
                self.services.ingress.eventLogged(sequence, urgency, bytes: size)
                return self.finish(event)
            case .failed(let error): throw error
            case .more: break
            }
        }
        let entry = event.isUploaded ? (details, urgency) : nil
        try self.conclude(
            self.advance(event: entry) { sessions, now, timeout in
                sessions.activity(
                    at: now,
                    timeout,
                    begins: sessions.rules.begins(at: event),
                    newID: self.services.newSessionID
                )
            }
        )
        self.finish(event)
    }

    /// The details of a crash report, with as many breadcrumbs as fit.
    ///
    /// First their attributes are dropped, then the older half of them, repeatedly.
    private func details(of report: CrashReport, _ event: Event) -> EventDetails {
        var (report, event) = (report, event)
        report.breadcrumbs = self.breadcrumbs()
        while true {
            event.content = .crash(report)
            let details = EventBody.details(of: event)
            let isTooLong = EventHead.maximumCount + details.json.count > Self.maximumEventSize
            guard isTooLong, !report.breadcrumbs.isEmpty else { return details }
            if report.breadcrumbs.allSatisfy(\.attributes.isEmpty) {
                report.breadcrumbs.removeFirst((report.breadcrumbs.count + 1) / 2)
            } else {
                for index in report.breadcrumbs.indices { report.breadcrumbs[index].attributes = [:] }
            }
        }
    }

    /// Leaves the breadcrumb of a logged breadcrumb event.
    private func finish(_ event: Event) {
        if case .breadcrumb(let label) = event.content { self.leaveBreadcrumb(label, event.attributes) }
    }

    /// Writes an event of a session that continues: nearly every event.
    private func logOn(_ details: EventDetails, _ urgency: EventMetadata.Urgency, _ state: inout State) -> Step {
        guard state.phase == .open, !state.identity.isOptedOut, state.interrupted == nil else { return .more }
        let now = SessionTimestamp(self.services.time)
        guard state.sessions.goesOn(at: now, self.services.sessionTimeout), !state.isRecordDue(at: now) else {
            return .more
        }
        let writer = InstallationWriter(id: self.id, services: self.services, identity: state.identity)
        do throws(SignetError) {
            return .logged(try state.append(details, at: now, urgency: urgency, by: writer))
        } catch {
            return .failed(error)
        }
    }

    /// The names of the running timed events.
    var timedEventNames: [String] {
        self.state.withLock { $0.timedEvents.names }
    }

    /// Begins a timed event.
    func beginTimedEvent(_ event: Event) throws(SignetError) {
        if let violation = EventLimits.violation(of: event) {
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        let name: String
        switch event.content {
        case .custom(let text, _), .screen(let text): name = text
        default: throw SignetError(.invalidArgument, "Only custom events and screen views can be timed.")
        }
        let now = SessionTimestamp(self.services.time)
        let hasBegun = self.state.withLock { state in
            state.timedEvents.begin(event, named: name, at: now, by: state.identity.directory.current)
        }
        guard hasBegun else {
            throw SignetError(
                .invalidArgument,
                "\(TimedEvents.limit) timed events have begun, which is the limit. End one first."
            )
        }
    }

    /// Ends a timed event; nil if none of that name has begun.
    func endTimedEvent(_ name: String) -> (event: Event, begun: TimedEvents.Begun)? {
        let now = SessionTimestamp(self.services.time)
        return self.state.withLock { $0.timedEvents.end(name, at: now) }
    }

    /// Resumes a timed event that could not be logged at its end.
    func resumeTimedEvent(_ name: String, _ begun: TimedEvents.Begun) {
        self.state.withLock { $0.timedEvents.resume(name, begun) }
    }
}

extension Event {
    /// The delivery urgency: commerce events are prompt.
    fileprivate var urgency: EventMetadata.Urgency {
        if case .commerce = self.content { .prompt } else { .regular }
    }
}
