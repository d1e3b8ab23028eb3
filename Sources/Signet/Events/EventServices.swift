//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import SignetLock
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// What the event queue works with: journal, state log, dispatcher, and what it must know of users.
final class EventServices: Sendable {
    let journal: Journal
    let store: StateStore
    let numbers: InstallationNumbers
    let plans: DataPlanNumbers
    let dispatcher: NetworkDispatcher
    let jobs: WorkQueue
    let intake: EventIntake
    let time: TimeSource
    let observer: any SignetObserver
    let statistics: StatisticsRecorder
    let limits: UploadStateMachine.Limits
    let requestTimeout: Duration
    let chance: @Sendable () -> Double
    /// What a batch says of a user.
    let user: @Sendable (InstallationID, MPID) -> BatchUser
    /// The first user of an installation, who owns what was logged for nobody.
    let firstUser: @Sendable (InstallationID) -> MPID?
    /// Called when events were settled.
    let settled: @Sendable () -> Void
    /// What a batch may say beside its events: it may have 128 KB, its longest event 100 KB.
    private static let headLimit = 27 * 1024
    private let environment: WorkspaceEnvironment
    private let damageTold = Locked(0)

    init(
        journal: Journal,
        store: StateStore,
        numbers: InstallationNumbers,
        plans: DataPlanNumbers,
        dispatcher: NetworkDispatcher,
        jobs: WorkQueue,
        intake: EventIntake,
        statistics: StatisticsRecorder,
        observer: any SignetObserver,
        configuration: SignetConfiguration,
        user: @escaping @Sendable (InstallationID, MPID) -> BatchUser,
        firstUser: @escaping @Sendable (InstallationID) -> MPID?,
        settled: @escaping @Sendable () -> Void
    ) {
        self.journal = journal
        self.store = store
        self.numbers = numbers
        self.plans = plans
        self.dispatcher = dispatcher
        self.jobs = jobs
        self.intake = intake
        self.time = configuration.time
        self.observer = observer
        self.statistics = statistics
        self.limits = UploadStateMachine.Limits(
            inFlight: configuration.events.maximumInFlight,
            interval: configuration.effectiveUploadInterval,
            linger: configuration.events.linger
        )
        self.requestTimeout = configuration.events.requestTimeout
        self.chance = configuration.chance
        self.environment = configuration.environment
        self.user = user
        self.firstUser = firstUser
        self.settled = settled
    }

    /// Batches that an earlier process wrote down.
    func storedBatches() throws(SignetError) -> [BatchRecord] {
        try self.store.values(withPrefix: StateKey.batches) { self.reportDamage($0.message) }
            .compactMap { key, value in
                if let record = BatchRecord(value) { return record }
                self.setAsideUnreadable(key, value)
                return nil
            }
    }

    private func setAsideUnreadable(_ key: [UInt8], _ value: [UInt8]) {
        self.reportDamage("A stored batch is not readable; it was set aside, its events are sent in a new one.")
        do throws(SignetError) {
            try self.store.put(value, for: StateKey.unreadable(key))
            try self.store.remove(key)
        } catch {
            self.reportDamage("An unreadable batch could not be set aside: \(error.message)")
        }
    }

    /// The JSON of a batch up to its first event.
    func head(of id: UUID, _ installation: InstallationID, _ mpid: MPID) -> [UInt8] {
        let user = self.user(installation, mpid)
        var body = BatchBody(
            batchID: id,
            milliseconds: self.time.milliseconds,
            environment: self.environment,
            mpid: mpid,
            deviceApplicationStamp: user.deviceApplicationStamp,
            userAttributes: user.attributes,
            userIdentities: user.identities,
            sdkVersion: ClientInfo.signet.version
        )
        // Who it is, the MPID says: identities that leave no room for the events stay behind.
        if body.overhead > Self.headLimit { body.userIdentities = [:] }
        // The list of events comes last, so that an empty batch ends with what closes it.
        return Array(body.encoded(events: []).dropLast(BatchRecord.tail.count))
    }

    /// The JSON of the events of a batch.
    ///
    /// An event that is gone was settled before a crash and is left out.
    func payloads(of record: BatchRecord) throws(SignetError) -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        for sequence in record.sequences {
            do throws(StorageError) {
                if let frame = try self.journal.frame(sequence) { payloads.append(frame.payload) }
            } catch {
                // A damaged one has been set aside by the journal; it must not hold up the others.
                guard error.code == .damagedRecord else { throw SignetError(error) }
                self.tellDamage()
            }
        }
        return payloads
    }

    /// Whether the first of some events is still in the journal.
    func isWaiting(_ sequences: [UInt64]) -> Bool {
        guard let first = sequences.first else { return false }
        do throws(StorageError) {
            return try self.journal.frame(first) != nil
        } catch {
            // Damaged or not readable: it was not acknowledged, else it would not be looked at.
            return true
        }
    }

    /// Takes events out of the journal.
    func acknowledge(_ sequences: [UInt64]) throws(SignetError) {
        do throws(StorageError) {
            try self.journal.acknowledge(sequences)
        } catch {
            throw SignetError(error)
        }
    }

    /// Counts and tells a delivery.
    func delivered(_ count: Int, bytes: Int) {
        self.statistics.record {
            $0.eventsDelivered += count
            $0.batchesDelivered += 1
        }
        self.observer.batchDelivered(events: count, bytes: bytes)
    }

    /// Counts and tells a refusal.
    func setAside(_ count: Int, _ error: SignetError) {
        self.statistics.record { $0.eventsSetAside += count }
        self.observer.batchSetAside(events: count, error: error)
    }

    /// Tells of events that the journal found damaged and left out since the last time; the journal counts them.
    func tellDamage() {
        let count = self.journal.damagedFrames
        let news = self.damageTold.withLock { told in
            defer { told = count }
            return count - told
        }
        guard news > 0 else { return }
        self.observer.damageFound("\(news) events of the journal were damaged; they were set aside.")
    }

    /// Counts and tells damage.
    func reportDamage(_ description: String) {
        self.statistics.record { $0.damagedRecords += 1 }
        self.observer.damageFound(description)
    }
}
