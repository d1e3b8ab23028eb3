//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
package import SignetModel

package import struct FoundationEssentials.UUID

/// What lies in the directory of a runtime, for tools that look into it.
///
/// It opens the files as a start does, which repairs what a crash left: give it a copy of a directory, not one in use.
package final class DirectoryInspector: Sendable {
    /// What a start finds wrong.
    package struct Damage: Sendable, Hashable {
        /// The records or frames that can be read.
        package let sound: Int
        /// The bytes of appends that a crash cut short; no call had returned for them.
        package let tornBytes: Int
        /// The places where bytes are no longer what was written.
        package let damaged: Int
        /// The frames that were never finished; no call had returned for them.
        package let neverReturned: Int
    }

    /// An event that waits, or is in a batch on its way.
    package struct WaitingEvent: Sendable, Hashable {
        /// The order in which it was logged.
        package let sequence: UInt64
        /// Where it was logged; nil when that is not known.
        package let installation: InstallationID?
        /// Whose it is; nil when nobody was known.
        package let mpid: MPID?
        /// When it was logged, seconds since 1970, to the minute.
        package let seconds: Int64
        /// Its JSON.
        package let json: [UInt8]
    }

    /// A batch that the platform refused for good.
    package struct RefusedBatch: Sendable, Hashable {
        /// Its id.
        package let id: UUID
        /// Whose events; nil when that is not known.
        package let mpid: MPID?
        /// How many.
        package let eventCount: Int
        /// The status of the platform's answer.
        package let status: Int?
        /// Why.
        package let reason: String
        /// The bytes that were sent.
        package let body: [UInt8]
    }

    private let log: StateLog
    private let store: StateStore
    private let journal: Journal

    /// Opens a copy of a directory.
    ///
    /// - Parameter directory: Of a runtime; the survey may change it.
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

    /// How the records of installations are.
    package var stateDamage: Damage {
        Damage(self.log.recovery, damaged: self.log.recovery.damagedRecords + self.log.damagedRecords)
    }

    /// How the events are; those that were read and found damaged since are counted too.
    package var journalDamage: Damage {
        Damage(self.journal.recovery, damaged: self.journal.recovery.damagedRecords + self.journal.damagedFrames)
    }

    /// Where events were logged that may still be here.
    package func installationCount() throws(SignetError) -> Int {
        try self.store.keys(withPrefix: StateKey.numberedInstallations).count
    }

    /// How many batches are on their way.
    package func batchesUnderWay() throws(SignetError) -> Int {
        try self.store.keys(withPrefix: StateKey.batches).count
    }

    /// The batches that the platform refused for good.
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

    /// Reads all events, in the order in which they were logged; damaged ones are passed over and counted.
    ///
    /// - Parameter body: Is given each, and says whether to go on.
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
                    seconds: tag?.seconds ?? 0,
                    json: frame.payload
                )
                guard body(event) else { return }
            }
        }
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
