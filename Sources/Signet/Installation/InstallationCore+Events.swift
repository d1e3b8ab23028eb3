// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

// Events that the app logs.
extension InstallationCore {
    /// The maximum size of an event's JSON: a batch has at most 128 KB (Events API).
    private static let maximumEventSize = 100 * 1024

    /// Logs an event for the current user and session.
    func log(_ event: Event) throws(SignetError) {
        if let violation = EventLimits.violation(of: event) {
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        if case .crash(let report) = event.content { return try self.log(report, event) }
        let details = EventBody.details(of: event)
        let size = try Self.size(of: details)
        if event.isUploaded, let sequence = try self.store.append(details, event.urgency) {
            self.context.ingress.eventLogged(sequence, event.urgency, bytes: size)
        } else {
            try self.transact { machine, transaction throws(SignetError) in
                try self.log(event.isUploaded ? details : nil, event, &machine, &transaction)
            }
        }
        guard case .breadcrumb(let label) = event.content else { return }
        self.transactOrReport { machine, transaction throws(SignetError) in
            try machine.leaveBreadcrumb(label, event.attributes, &transaction)
        }
    }

    private func log(
        _ details: EventDetails?,
        _ event: Event,
        _ machine: inout InstallationMachine,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        let newID = transaction.moment.newSessionID
        try machine.advance(&transaction, event: details.map { ($0, event.urgency) }) { sessions, now, timeout in
            sessions.activity(at: now, timeout, begins: sessions.rules.begins(at: event), newID: newID)
        }
    }

    /// Logs a crash with the breadcrumbs of the user whose event it is.
    private func log(_ report: CrashReport, _ event: Event) throws(SignetError) {
        var problem: SignetError?
        try self.transact { machine, transaction throws(SignetError) in
            var (report, event) = (report, event)
            do throws(SignetError) {
                report.breadcrumbs = try machine.trail(of: machine.mpid, transaction.records).breadcrumbs
            } catch {
                // A crash report without breadcrumbs is better than none.
                problem = error
            }
            let details = Self.details(of: &report, &event)
            _ = try Self.size(of: details)
            try self.log(event.isUploaded ? details : nil, event, &machine, &transaction)
        }
        if let problem { self.context.reportDamage("Breadcrumbs cannot be read: \(problem.message)") }
    }

    /// The details of a crash report: breadcrumbs lose their attributes, then the oldest go, until the event is short enough.
    private static func details(of report: inout CrashReport, _ event: inout Event) -> EventDetails {
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

    /// The size of an event.
    ///
    /// - Throws: `invalidArgument` if it is too long.
    private static func size(of details: EventDetails) throws(SignetError) -> Int {
        let size = EventHead.maximumCount + details.json.count
        guard size <= Self.maximumEventSize else {
            throw SignetError(
                .invalidArgument,
                "The event has \(size) bytes of JSON; at most \(Self.maximumEventSize) are allowed (a batch: 128 KB)."
            )
        }
        return size
    }

    // MARK: - Timed events

    /// The names of the timed events that have begun.
    var timedEventNames: [String] {
        self.store.read { $0.timedEvents.names }
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
        let now = SessionTimestamp(self.context.time)
        let hasBegun = self.store.update { machine in
            machine.timedEvents.begin(event, named: name, at: now, by: machine.mpid)
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
        let now = SessionTimestamp(self.context.time)
        return self.store.update { $0.timedEvents.end(name, at: now) }
    }

    /// Takes back the end of a timed event that could not be logged.
    func resumeTimedEvent(_ name: String, _ begun: TimedEvents.Begun) {
        self.store.update { $0.timedEvents.resume(name, begun) }
    }
}

extension Event {
    fileprivate var urgency: EventMetadata.Urgency {
        if case .commerce = self.content { .prompt } else { .regular }
    }
}
