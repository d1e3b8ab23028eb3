// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

// Events that the app logs.
extension InstallationCore {
    /// Logs an event for the current user and session.
    func log(_ event: Event) throws(SignetError) {
        if let violation = EventLimits.violation(of: event) {
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        let occurrence = try self.occurrence(of: event)
        if case .crash(let report) = event.content { return try self.log(report, event, at: occurrence) }
        let isLogged = occurrence == nil ? try self.logInSession(event) : false
        if !isLogged {
            let checked = try CheckedEvent(event)
            try self.transact { machine, transaction throws(SignetError) in
                try self.log(checked, event, at: occurrence, &machine, &transaction)
            }
        }
        guard case .breadcrumb(let label) = event.content else { return }
        self.transactOrReport { machine, transaction throws(SignetError) in
            try machine.leaveBreadcrumb(label, event.attributes, &transaction)
        }
    }

    /// The event's own time, checked; nil for nearly all events, without a look at the clock.
    private func occurrence(of event: Event) throws(SignetError) -> EventOccurrence? {
        guard event.occurredAt != nil else { return nil }
        let limit = self.context.configuration.uploadLimits.maximumAge
        return try EventOccurrence(event, now: self.context.time.milliseconds, keeping: limit)
    }

    /// Logs an event that only continues the session, the frequent case; its details never are a value of their own.
    ///
    /// - Returns: False if it needs a transaction, or a longer encoding.
    private func logInSession(_ event: Event) throws(SignetError) -> Bool {
        guard event.isUploaded else { return false }
        let urgency = event.urgency
        var (result, bytes): (Result<UInt64?, SignetError>, Int) = (.success(nil), 0)
        EventBody.withShortDetails(of: event) { kind, json in
            bytes = CheckedEvent.size(json.count)
            guard bytes <= CheckedEvent.maximumSize else { return }
            result = Result { () throws(SignetError) in try self.store.append(kind, json, urgency) }
        }
        guard let sequence = try result.get() else { return false }
        self.context.ingress.eventLogged(sequence, urgency, bytes: bytes)
        return true
    }

    private func log(
        _ checked: CheckedEvent,
        _ event: Event,
        at occurrence: EventOccurrence?,
        _ machine: inout InstallationMachine,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        let newID = transaction.moment.newSessionID
        let details = event.isUploaded ? checked.details : nil
        if let occurrence {
            return try machine.log(details, urgency: event.urgency, at: occurrence, &transaction)
        }
        try machine.advance(&transaction, event: details.map { ($0, event.urgency) }) { sessions, now, timeout in
            sessions.activity(at: now, timeout, begins: sessions.rules.begins(at: event), newID: newID)
        }
    }

    /// Logs a crash with the breadcrumbs of the user whose event it is.
    private func log(
        _ report: CrashReport,
        _ event: Event,
        at occurrence: EventOccurrence?
    ) throws(SignetError) {
        var problem: SignetError?
        try self.transact { machine, transaction throws(SignetError) in
            var report = report
            do throws(SignetError) {
                // Those of another user, perhaps, if the row says whose the event is.
                if transaction.scope.isRead {
                    let trail = try machine.breadcrumbsOfCrash(transaction.records)
                    report.breadcrumbs = trail.filter { $0.milliseconds <= occurrence?.milliseconds ?? .max }
                }
            } catch {
                // A crash report without breadcrumbs is better than none.
                problem = error
            }
            try self.log(CheckedEvent(report, in: event), event, at: occurrence, &machine, &transaction)
        }
        if let problem { self.context.reportDamage("Breadcrumbs cannot be read: \(problem.message)") }
    }

    // MARK: - Timed events

    /// The names of the timed events that have begun.
    var timedEventNames: [String] {
        self.store.read { $0.timedEvents.names(of: $0.mpid) }
    }

    /// Begins a timed event.
    func beginTimedEvent(_ event: Event) throws(SignetError) {
        let name = try TimedEvents.name(of: event)
        _ = try CheckedEvent(TimedEvents.longest(event))
        try self.transact { machine, transaction throws(SignetError) in
            try machine.beginTimedEvent(event, named: name, at: transaction.moment.now)
        }
    }

    /// Ends a timed event; it is still under way if it cannot be logged.
    func endTimedEvent(_ name: String, _ log: (Event) throws(SignetError) -> Void) throws(SignetError) {
        let now = SessionTimestamp(self.context.time)
        guard let (event, begun) = self.store.update({ $0.timedEvents.end(name, at: now, by: $0.mpid) }) else {
            throw self.store.read { $0.isOptedOut } ? .eventOptOut : .notBegun
        }
        do throws(SignetError) {
            try log(event)
        } catch {
            self.store.update { $0.resumeTimedEvent(name, begun) }
            throw error
        }
    }
}

extension SignetError {
    fileprivate static let notBegun = SignetError(
        .invalidArgument,
        "No timed event of that name has begun. Call `beginTimedEvent(_:)` first."
    )
}

extension Event {
    fileprivate var urgency: EventMetadata.Urgency {
        if case .commerce = self.content { .prompt } else { .regular }
    }
}

/// An event that the app logs, checked and encoded: it fits in a batch.
struct CheckedEvent {
    /// The maximum size of an event's JSON: a batch has at most 128 KB (Events API).
    static let maximumSize = 100 * 1024

    let details: EventDetails

    /// Encodes an event.
    ///
    /// - Throws: `invalidArgument` if it is too long.
    init(_ event: Event) throws(SignetError) {
        self = try CheckedEvent(EventBody.details(of: event))
    }

    /// Encodes an event with a crash report, as long as it may be.
    ///
    /// The breadcrumbs lose their attributes, then the oldest go, until the event is short enough.
    ///
    /// - Throws: `invalidArgument` if it is too long without them.
    init(_ report: CrashReport, in event: Event) throws(SignetError) {
        var (report, event) = (report, event)
        while true {
            event.content = .crash(report)
            let details = EventBody.details(of: event)
            guard Self.size(details.json.count) > Self.maximumSize, !report.breadcrumbs.isEmpty else {
                self = try CheckedEvent(details)
                return
            }
            if report.breadcrumbs.allSatisfy(\.attributes.isEmpty) {
                report.breadcrumbs.removeFirst((report.breadcrumbs.count + 1) / 2)
            } else {
                for index in report.breadcrumbs.indices { report.breadcrumbs[index].attributes = [:] }
            }
        }
    }

    private init(_ details: EventDetails) throws(SignetError) {
        self.details = details
        let bytes = Self.size(details.json.count)
        guard bytes <= Self.maximumSize else {
            throw SignetError(
                .invalidArgument,
                "The event has \(bytes) bytes of JSON; at most \(Self.maximumSize) are allowed (a batch: 128 KB)."
            )
        }
    }

    /// The size of an event's JSON, with the longest head.
    static func size(_ details: Int) -> Int {
        EventHead.maximumCount + details
    }
}
