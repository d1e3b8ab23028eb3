// SPDX-License-Identifier: Apache-2.0

/// Counters of one runtime since it was made: every lost event is counted by one of them.
public struct SignetStatistics: Sendable, Hashable {
    /// Events accepted by `log` and `logIfPossible`, including those that Signet adds.
    public var eventsAccepted = 0
    /// Events that an earlier process had left on disk; those among them that are lost are in ``eventsDamaged``.
    public var eventsRestored = 0
    /// Events that an earlier process was writing when it died; skipped, and in no other count.
    ///
    /// No `log` had returned for them, unless the power was lost before a flush.
    public var eventsNeverReturned = 0
    /// Events that were sent, each time counted.
    public var eventsSent = 0
    /// Of these, events of batches that had been sent before, or may have been by an earlier process.
    public var eventsRepeated = 0
    /// Events that count for no session: another replica had ended it before it knew of them.
    public var eventsAfterSessionEnd = 0
    /// Events that the platform has accepted.
    public var eventsDelivered = 0
    /// Events that became dead letters: refused for good, or impossible to send.
    public var eventsDeadLettered = 0
    /// Events of dead letters that ``DeadLetterBatches/resend(_:)`` has sent again.
    public var eventsResent = 0
    /// Events of dead letters that were removed: by ``DeadLetterBatches/discard(_:)``, or to make room.
    public var eventsDiscarded = 0
    /// Events that were dropped, by cause.
    public var eventsDropped: [DropCause: Int] = [:]
    /// Events on disk that wait for delivery or for the first user of their installation.
    public var eventsWaiting = 0
    /// Of these, events in memory only, as the disk did not accept them.
    ///
    /// See ``SignetConfiguration/Events/OnDiskFailure``.
    public var eventsInMemory = 0
    /// Events whose bytes on disk are lost: damaged while this runtime ran, and quarantined; or named by a batch of an earlier process,
    /// and missing at the start.
    public var eventsDamaged = 0
    /// Events that were refused, by the code of the error.
    ///
    /// Refused by `log` and `logIfPossible`, and those that Signet adds and the disk refused.
    public var eventsRefused: [SignetError.Code: Int] = [:]
    /// Of the waiting events, those that wait for the first user of their installation.
    ///
    /// As of the runtime's last look for them: every 10 s while there are any.
    public var eventsWaitingForUser = 0
    /// Of these, events of installations that were opened with ``IdentifyPolicy/none``: they wait for the app to identify.
    public var eventsWaitingForApp = 0
    /// Installations with work that the runtime does without a caller, by kind: `identity`, `sessions`, `facts`, `optOuts` for
    /// opt-outs whose event is not safe, `erasures` for erasures and removals that are not finished, and the name of each service.
    ///
    /// `sessions` are those that an earlier process left open and that are not over yet.
    public var dueWork: [String: Int] = [:]
    /// Pieces of such work that were done, by kind; `late` counts those that only the hourly look at all marked records has found.
    public var dueWorkDone: [String: Int] = [:]
    /// Identity calls that the platform has answered with an error, by its code; the last try of each counts.
    public var identityRefusals: [SignetError.Code: Int] = [:]
    /// The ages of the oldest waiting events, by what they wait for: `upload`, `user` for the first user of their installation, `app`
    /// for such a user after ``IdentifyPolicy/none``.
    ///
    /// While events wait for users, as of a look once a minute. Exact as ``oldestEventAge`` is.
    public var oldestEventAges: [String: Duration] = [:]
    /// The keys of ``oldestEventAges``.
    static let eventWaits = ["upload", "user", "app"]
    /// The age of the oldest waiting event since its logging, by the wall clock; nil when none waits.
    ///
    /// To the millisecond. An event with a time of its own (`Event.occurredAt`) counts from the begin of the minute of its logging.
    public var oldestEventAge: Duration?
    /// Batches that were sent, each time counted.
    public var batchesSent = 0
    /// Batches that `onCreateBatch` has changed.
    public var batchesChanged = 0
    /// Bytes of batches that were sent, each time counted.
    public var bytesSent = 0
    /// Bytes of batches that the platform has accepted.
    public var bytesDelivered = 0
    /// Bytes of all files of the journal.
    public var bytesOnDisk: UInt64 = 0
    /// Flushes of files of the journal.
    public var fsyncs = 0
    /// Batches that the platform has accepted.
    public var batchesDelivered = 0
    /// Requests sent, by endpoint.
    public var requestsSent: [String: Int] = [:]
    /// User changes published.
    public var userChanges = 0
    /// Session changes published.
    public var sessionChanges = 0
    /// Counts of the services that follow the runtime, by names such as `iterable.records_sent`.
    ///
    /// The module of each service has properties for its own. `other.records_erased` counts records of services that this
    /// runtime was not given, removed by an erasure or a reset.
    public var serviceCounts: [String: Int] = [:]
    /// Installations that ``Installation/remove(within:)`` and ``SignetRuntime/removeInstallations(idleFor:)`` have removed, also by
    /// ``SignetConfiguration/Installations/retention``.
    public var installationsRemoved = 0
    /// Users who left their installation because the record of its users was full, on calls of this process.
    public var usersDropped = 0
    /// The offset of this machine's clock to that of the shared store, positive if it is ahead.
    ///
    /// Nil without a store, and before its first answer. It does not matter for the events: they have the store's time.
    public var clockOffset: Duration?
    /// Damaged records found on disk and quarantined.
    public var damagedRecords = 0
    /// Changes of state that could not be written at once.
    public var statesNotSaved = 0

    /// Events of dead letters that are in flight again: they are not in the journal.
    var eventsResending = 0

    /// Makes counters of zero.
    public init() {}

    /// Events that reached the journal: all accepted ones except those in memory, or lost with it.
    public var eventsJournaled: Int {
        self.eventsAccepted - self.eventsInMemory - self.eventsDropped[.diskFailure, default: 0]
    }

    /// Events that were accepted, here or by an earlier process, and are in no other count.
    ///
    /// Always zero, or a defect. The counts are of one moment: while events are in flight, the value can be off by
    /// those.
    public var eventsLost: Int {
        self.eventsRestored + self.eventsAccepted + self.eventsResent
            - self.eventsDelivered - self.eventsDeadLettered - self.eventsDropped.values.reduce(0, +)
            - self.eventsDamaged - self.eventsWaiting
    }
}
