// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// The dependencies of the event queue: journal, state log, dispatcher, and functions for users.
final class EventServices: Sendable {
    let journal: Journal
    let memory: OverflowBuffer
    let store: StateStore
    let numbers: InstallationNumbers
    let contexts: BatchContexts
    let ownContexts: InstallationContexts
    let dispatcher: NetworkDispatcher
    let jobs: WorkQueue
    let ingress: EventIngress
    let time: TimeSource
    let observer: any SignetObserver
    let statistics: StatisticsRecorder
    let limits: UploadLimits
    let requestTimeout: Duration
    let environment: WorkspaceEnvironment
    let jitter: @Sendable () -> Double
    /// True when batches are written down with all their bytes, as the journal may drop events before delivery.
    let keepsBodies: Bool
    /// The app's hook for each batch before it is sent.
    let onCreateBatch: (@Sendable (OutgoingBatch) -> OutgoingBatch.Decision)?
    /// The functions for users.
    let users: EventUsers
    /// Writes down the session data of an installation that only its events contain.
    let fold: @Sendable (UInt32, InstallationID) throws(SignetError) -> Void
    /// Called after events were settled.
    let settled: @Sendable () -> Void
    private let damageTold = Locked(0)
    private let dropsTold = Locked(0)

    init(
        _ context: RuntimeContext,
        users: EventUsers,
        fold: @escaping @Sendable (UInt32, InstallationID) throws(SignetError) -> Void,
        settled: @escaping @Sendable () -> Void
    ) {
        let configuration = context.configuration
        self.journal = context.journal
        self.memory = context.memory
        self.store = context.store
        self.numbers = context.numbers
        self.contexts = context.contexts
        self.ownContexts = context.ownContexts
        self.dispatcher = context.dispatcher
        self.jobs = context.jobs
        self.ingress = context.ingress
        self.time = configuration.time
        self.observer = context.observer
        self.statistics = context.statistics
        self.limits = configuration.uploadLimits
        self.requestTimeout = configuration.events.requestTimeout
        self.environment = configuration.environment
        self.jitter = configuration.jitter
        self.keepsBodies = configuration.events.storage.whenFull == .dropOldest
        self.onCreateBatch = configuration.events.onCreateBatch
        self.users = users
        self.fold = fold
        self.settled = settled
    }

    /// Returns the name of an installation; nil, with a report, if there is none or its record is damaged.
    func name(of installation: UInt32) throws(SignetError) -> InstallationID? {
        guard installation != 0 else { return nil }
        do throws(SignetError) {
            if let name = try self.numbers.installation(installation) { return name }
        } catch {
            guard error.isDamage else { throw error }
        }
        self.reportDamage(
            "The name of installation \(installation) is lost. Its events are sent without device application stamp."
        )
        return nil
    }

    /// Removes events from the journal, after their data of an open session is written down.
    ///
    /// - Parameters:
    ///   - sequences: The numbers of the events.
    ///   - installations: The installations that logged them.
    /// - Throws: The error of the disk; the events then stay.
    func acknowledge(_ sequences: [UInt64], of installations: some Sequence<UInt32>) throws(SignetError) {
        for number in installations where number != 0 {
            if let id = try self.name(of: number) { try self.fold(number, id) }
        }
        do throws(StorageError) {
            try self.journal.acknowledge(sequences)
        } catch {
            throw SignetError(error)
        }
    }

    /// Returns true if one of the events is still in the journal.
    func isWaiting(_ sequences: [UInt64]) -> Bool {
        var isWaiting = false
        do throws(StorageError) {
            try self.journal.read(sequences) { _, _, _ in isWaiting = true }
            return isWaiting
        } catch {
            // Not readable: it was not acknowledged, else the journal would not read it.
            return true
        }
    }

    /// Reports events that the journal found damaged and left out since the last call; the journal counts them.
    func reportDamagedEvents() {
        let count = self.journal.damagedFrames
        let damaged = self.damageTold.withLock { told in
            defer { told = count }
            return count - told
        }
        guard damaged > 0 else { return }
        self.observer.corruptionDetected("\(damaged) events in the journal were damaged. They were quarantined.")
    }

    /// Reports the oldest events that made room for new ones since the last call; the journal counts them.
    func reportDrops() {
        let count = self.journal.droppedFrames
        let dropped = self.dropsTold.withLock { told in
            defer { told = count }
            return count - told
        }
        if dropped > 0 { self.observer.eventsDropped(dropped, cause: .limit) }
    }

    /// Counts and reports damage.
    func reportDamage(_ description: String) {
        self.statistics.record { $0.damagedRecords += 1 }
        self.observer.corruptionDetected(description)
    }

    /// Counts and reports events that were given up.
    func dropped(_ count: Int, _ cause: DropCause) {
        guard count > 0 else { return }
        self.statistics.record { $0.eventsDropped[cause, default: 0] += count }
        self.observer.eventsDropped(count, cause: cause)
    }
}
