// SPDX-License-Identifier: Apache-2.0

import SignetJournal
package import SignetModel

package import struct FoundationEssentials.UUID

/// Reads the directory of a runtime, for tools.
///
/// It opens the files as a start does, which repairs the traces of a crash. Use a copy of a directory, not one in use.
package final class DirectoryInspector: Sendable {
    /// The damage that a start finds.
    package struct Damage: Sendable, Hashable {
        /// The records or frames that can be read.
        package let sound: Int
        /// The bytes of unfinished appends that a crash cut short; no call had returned for them.
        package let tornBytes: Int
        /// The number of places whose bytes differ from the bytes written.
        package let damaged: Int
        /// The frames that were never finished; no call had returned for them.
        package let neverReturned: Int
    }

    /// An event that waits, or is in a batch in flight.
    package struct WaitingEvent: Sendable, Hashable {
        /// The sequence number, in the order of logging.
        package let sequence: UInt64
        /// The installation that logged it; nil if unknown.
        package let installation: InstallationID?
        /// The user's MPID; nil if there was no current user.
        package let mpid: MPID?
        /// The time of logging in milliseconds since 1970; to the minute for an event with a time of its own.
        package let milliseconds: Int64
        /// Its JSON.
        package let json: [UInt8]
    }

    /// A batch that the platform refused for good (a dead letter).
    package struct RefusedBatch: Sendable, Hashable {
        /// The batch's id.
        package let id: UUID
        /// The user's MPID; nil if unknown.
        package let mpid: MPID?
        /// The number of events.
        package let eventCount: Int
        /// The HTTP status of the platform's answer.
        package let status: Int?
        /// The reason of the refusal.
        package let reason: String
        /// The bytes that were sent.
        package let body: [UInt8]
    }

    private let log: StateLog
    private let store: StateStore
    private let journal: Journal

    /// Opens a copy of a directory.
    ///
    /// - Parameter directory: The copy of a runtime's directory; the inspector may change it.
    /// - Throws: `newerFormat`, `directoryUnusable`, `diskFailed`.
    package init(copy directory: String) throws(SignetError) {
        do throws(StorageError) {
            self.log = try StateLog(directory: directory + "/state")
            self.store = StateStore(self.log)
            self.journal = try Journal(directory: directory + "/journal")
        } catch {
            throw SignetError(error)
        }
    }

    /// The damage of the state log, which holds the records of installations.
    package var stateDamage: Damage {
        Damage(self.log.recovery, damaged: self.log.recovery.damagedRecords + self.log.damagedRecords)
    }

    /// The damage of the journal, with the events found damaged in later reads.
    package var journalDamage: Damage {
        Damage(self.journal.recovery, damaged: self.journal.recovery.damagedRecords + self.journal.damagedFrames)
    }

    /// The number of installations whose events may still be in the journal.
    package func installationCount() throws(SignetError) -> Int {
        try self.store.keys(withPrefix: StateKey.numberedInstallations).count
    }

    /// The installation of a number in the metadata of events; nil if there is none.
    package func installation(_ number: UInt32) throws(SignetError) -> InstallationID? {
        try InstallationNumbers(store: self.store).installation(number)
    }

    /// The number of batches in flight.
    package func batchesUnderWay() throws(SignetError) -> Int {
        try self.store.keys(withPrefix: StateKey.batches).count
    }

    /// The dead letters: batches that the platform refused for good.
    package func deadLetterBatches() throws(SignetError) -> [RefusedBatch] {
        var batches: [RefusedBatch] = []
        for key in try self.store.keys(withPrefix: StateKey.deadLetterBatches) {
            guard let id = UUID(bytes: Array(key.dropFirst())),
                let record = try self.store.value(for: key).flatMap(DeadLetterRecord.init)
            else { continue }
            batches.append(
                RefusedBatch(
                    id: id,
                    mpid: record.mpid,
                    eventCount: record.events,
                    status: record.status,
                    reason: record.reason,
                    body: record.body
                )
            )
        }
        return batches
    }

    /// Reads all events in the order of logging; skips and counts damaged ones.
    ///
    /// - Parameter body: Receives each event, and returns true to continue.
    /// - Throws: `diskFailed`.
    package func readEvents(_ body: (WaitingEvent) -> Bool) throws(SignetError) {
        let numbers = try InstallationNumbers(store: self.store)
        var last: UInt64 = 0
        while case let frames = try self.frames(after: last), !frames.isEmpty {
            for frame in frames {
                last = frame.sequence
                let tag = EventMetadata(frame.stamp)
                let event = WaitingEvent(
                    sequence: frame.sequence,
                    installation: try tag.flatMap { tag throws(SignetError) in
                        try numbers.installation(tag.installation)
                    },
                    mpid: tag?.mpid,
                    milliseconds: tag.map { tag in frame.payload.withUnsafeBytes { tag.milliseconds(of: $0) } } ?? 0,
                    json: frame.payload
                )
                guard body(event) else { return }
            }
        }
    }

    /// Explains an event that waits or is in a dead letter.
    ///
    /// - Parameter id: The id of the event (`source_message_id`).
    /// - Returns: The facts of the directory about it, or the places that were searched in vain.
    /// - Throws: `diskFailed`. Damaged records and events are left out.
    package func explain(_ id: UUID) throws(SignetError) -> EventAnswer {
        try EventExplainer(self.store, self.journal).answer(id)
    }

    /// Finds the work that the directory has to do without a call of the app.
    ///
    /// - Parameter services: The services that the runtime is given; work of others is listed, and may wait.
    /// - Returns: The work.
    /// - Throws: `diskFailed`; `newerFormat`.
    package func dueWork(_ services: [ServiceDefinition] = []) throws(SignetError) -> DueWorkReport {
        var survey = try DueWorkSurvey(self.log, services)
        return try survey.report(self.journal)
    }

    private func frames(after sequence: UInt64) throws(SignetError) -> [Journal.Frame] {
        do throws(StorageError) {
            return try self.journal.frames(after: sequence, limit: 1024)
        } catch {
            throw SignetError(error)
        }
    }
}

extension DirectoryInspector.Damage {
    init(_ report: RecoveryReport, damaged: Int) {
        self.init(
            sound: report.records,
            tornBytes: report.tornBytes,
            damaged: damaged,
            neverReturned: report.neverReturned
        )
    }
}
