//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Counters of one runtime since it was made: no event disappears without one of them counting it.
public struct SignetStatistics: Sendable, Hashable {
    /// Events accepted by `log` and `record`, those that Signet adds included.
    public var eventsAccepted = 0
    /// Events that an earlier process had left on disk.
    public var eventsRestored = 0
    /// Events that an earlier process was writing when it died: no `log` had returned for them, unless the power was lost
    /// before a flush; passed over, and in no other count.
    public var eventsNeverReturned = 0
    /// Events that went out, each time counted.
    public var eventsSent = 0
    /// Of these, events of batches that had been sent before, or may have been by an earlier process.
    public var eventsRepeated = 0
    /// Events that the platform has taken.
    public var eventsDelivered = 0
    /// Events that the platform refused for good, or that could not be sent, set aside on disk.
    public var eventsDeadLettered = 0
    /// Events of batches that had been set aside and were sent again by ``DeadLetterBatches/resend(_:)``.
    public var eventsResent = 0
    /// Events of batches that had been set aside and were removed: by ``DeadLetterBatches/discard(_:)``, or to make room.
    public var eventsDiscarded = 0
    /// Events that were given up, by cause.
    public var eventsDropped: [DropCause: Int] = [:]
    /// Events on disk that wait for delivery or for the first user of their installation.
    public var eventsWaiting = 0
    /// Of these, events in memory only, as the disk did not take them: see ``SignetConfiguration/Events/OnDiskFailure``.
    public var eventsInMemory = 0
    /// Events whose bytes on disk were damaged while this runtime ran; set aside.
    public var eventsDamaged = 0
    /// Events refused by `log` and `record`, and those that Signet adds and the disk refused, by the code of the error.
    public var eventsRefused: [SignetError.Code: Int] = [:]
    /// How long ago the oldest of the events that wait was logged, by the wall clock; nil when none waits.
    public var oldestEventAge: Duration?
    /// Batches that went out, each time counted.
    public var batchesSent = 0
    /// Batches that `onCreateBatch` has changed.
    public var batchesChanged = 0
    /// Bytes of batches that went out, each time counted.
    public var bytesSent = 0
    /// Bytes of batches that the platform has taken.
    public var bytesDelivered = 0
    /// Bytes of all files of the journal.
    public var bytesOnDisk: UInt64 = 0
    /// Flushes of files of the journal.
    public var fsyncs = 0
    /// Batches that the platform has taken.
    public var batchesDelivered = 0
    /// Requests sent, by endpoint.
    public var requestsSent: [String: Int] = [:]
    /// User changes published.
    public var userChanges = 0
    /// Session changes published.
    public var sessionChanges = 0
    /// Records of visitors that were stored, for whoever they are.
    public var iterableRecordsStored = 0
    /// Records of visitors that the service has taken.
    public var iterableRecordsSent = 0
    /// Records of visitors that were given up, by cause.
    public var iterableRecordsDropped: [IterableDropCause: Int] = [:]
    /// Saves of profiles, and batches of their events, that the service refused for good; see ``InfobipUpdate/Kind/failed(_:)``.
    public var infobipChangesRefused = 0
    /// Changes of people that were saved and then given up, each field for itself.
    ///
    /// Because they were logged out from elsewhere or their registration was lost before the service was told, and there is
    /// nobody else whom it could be told of.
    public var infobipChangesDropped = 0
    /// Events of profiles that were given up.
    ///
    /// Because their installation has opted out, was erased, came from a backup or is of another application now; or because
    /// whoever they are of has gone and the service can no longer be told.
    public var infobipEventsDropped = 0
    /// Damaged records found on disk and set aside.
    public var damagedRecords = 0
    /// Changes of state that could not be written at once.
    public var statesNotSaved = 0

    /// Events of batches that were set aside, on their way again: they are not in the journal.
    var eventsResending = 0

    /// Makes zeros.
    public init() {}

    /// Events that reached the journal: all that were accepted but those in memory, or lost with it.
    public var eventsJournaled: Int {
        self.eventsAccepted - self.eventsInMemory - self.eventsDropped[.diskFailure, default: 0]
    }

    /// Events that were accepted, here or by an earlier process, and that no other count knows.
    ///
    /// Always zero, or a defect. Counts of one moment: read while events are on their way, it can be off by those.
    public var eventsLost: Int {
        self.eventsRestored + self.eventsAccepted + self.eventsResent
            - self.eventsDelivered - self.eventsDeadLettered - self.eventsDropped.values.reduce(0, +)
            - self.eventsDamaged - self.eventsWaiting
    }
}
