// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

/// The services that all parts of a runtime share: settings, time, disk, network, observer, counts and streams.
///
/// It knows none of the parts.
final class RuntimeContext: Sendable {
    let configuration: SignetConfiguration
    let observer: any SignetObserver
    let statistics: StatisticsRecorder
    /// The things whose damage was reported.
    private let damagedThings = Locked<Set<DamagedThing>>([])
    let health: HealthMonitor
    let disk: RuntimeDisk
    let dispatcher: NetworkDispatcher
    /// The shared store; nil if the installations are this process's alone.
    let fleet: FleetMember?
    let lifecycle = RuntimeLifecycle()
    /// The requests that `run()` performs.
    let jobs = WorkQueue()
    let oldestEvent = OldestEvent()
    /// Events that the disk refused.
    let memory: OverflowBuffer
    /// Tells the event queue what happens to events.
    let ingress: EventIngress
    /// Tells the runner of due work what it has to do.
    let dueWork = DueWorkReports()
    let numbers: InstallationNumbers
    let contexts: BatchContexts
    let ownContexts: InstallationContexts
    /// The latest consents of users; nil with a shared store.
    let consents: UserConsents?
    let sessionRecovery: SessionRecovery
    /// The last uses of installations that no session shows.
    let uses: InstallationUses
    let sessionRules: SessionRules
    let timeout: SessionTimeout
    /// The pauses of automatic identifies that failed.
    let identifyPauses = Locked(IdentifyPauses())
    let userChanges = Broadcast<UserChange>()
    let sessionChanges = Broadcast<SessionChange>()
    let aliasOutcomes = Broadcast<AliasOutcome>()
    let identitySyncOutcomes = Broadcast<IdentitySyncOutcome>()
    let unfinishedReaders = UnfinishedReaders()

    init(
        _ configuration: SignetConfiguration,
        disk: RuntimeDisk,
        dispatcher: NetworkDispatcher,
        clock: FleetClock? = nil,
        health: HealthMonitor,
        observer: any SignetObserver,
        statistics: StatisticsRecorder
    ) throws(SignetError) {
        self.configuration = configuration
        self.observer = observer
        self.statistics = statistics
        self.health = health
        health.watch { [journal = disk.journal] in journal.appendedCount }
        self.disk = disk
        self.dispatcher = dispatcher
        self.memory = OverflowBuffer(journal: disk.journal, limit: configuration.events.storage.memoryLimit)
        self.ingress = EventIngress(interval: configuration.effectiveUploadInterval)
        if configuration.fleet == nil {
            self.numbers = try InstallationNumbers(store: disk.store, aside: disk.flushAside)
        } else {
            let ingress = self.ingress
            self.numbers = try InstallationNumbers(
                ofReplica: disk.store,
                sync: { () throws(SignetError) in try disk.sync() },
                wake: { ingress.eventLogged() },
                aside: disk.flushAside
            )
        }
        self.contexts = try BatchContexts(store: disk.store, current: BatchContext(configuration))
        self.ownContexts = InstallationContexts(store: disk.store)
        self.consents = configuration.fleet == nil ? UserConsents(disk.store, configuration.time) : nil
        self.sessionRecovery = SessionRecovery(journal: disk.journal, store: disk.store, numbers: self.numbers)
        self.uses = InstallationUses(store: disk.store)
        self.sessionRules = SessionRules(configuration.sessions)
        self.timeout = SessionTimeout(configuration.sessions.timeout)
        self.fleet =
            if let fleet = configuration.fleet {
                try FleetMember(
                    fleet,
                    Self.directory(disk),
                    workspace: SHA256.hash(Array("signet-workspace:\(configuration.apiKey)".utf8)),
                    clock: clock ?? FleetClock(),
                    time: configuration.time,
                    observer: observer,
                    health: health,
                    carriedOut: DirectoryErasures(disk)
                )
            } else {
                nil
            }
        self.numbers.reserveFirst()
    }

    /// The directory among replicas, with the id that is made once; ``noteReplica(_:)`` keeps a new one.
    private static func directory(_ disk: RuntimeDisk) throws(SignetError) -> FleetMember.Directory {
        if let bytes = try disk.store.value(for: StateKey.replica),
            let replica = UUID(uuidString: String(decoding: bytes, as: UTF8.self))
        {
            return .used(replica)
        }
        // A directory of a runtime without a shared store has users of its own.
        let identities = try disk.store.keys(withPrefix: StateKey.identities)
        let isNew = disk.journal.lastSequence == 0 && identities.isEmpty
        let replica = UUID.random()
        return isNew ? .new(replica) : .used(replica)
    }

    /// True if the directory has been a replica's before.
    var isReplica: Bool {
        self.store.contains(StateKey.replica)
    }

    /// Keeps the id of the directory among replicas.
    func noteReplica(_ replica: UUID) throws(SignetError) {
        try self.store.put(Array(replica.uuidString.utf8), for: StateKey.replica)
    }

    var time: TimeSource {
        self.configuration.time
    }

    var store: StateStore {
        self.disk.store
    }

    var journal: Journal {
        self.disk.journal
    }

    /// The current session timeout: the time that a session lives without an event.
    var sessionTimeout: Duration {
        self.timeout.value
    }

    // MARK: - Disk

    /// The last event of the journal, with the events in memory that the disk refused.
    ///
    /// - Throws: `SignetError` from the disk: events in memory have no number yet, and must not come after this one.
    func lastSequence() throws(SignetError) -> UInt64 {
        try self.emptyMemory()
        return self.journal.lastSequence
    }

    /// Writes the events in memory to the journal.
    func emptyMemory() throws(SignetError) {
        do throws(StorageError) {
            try self.memory.drain()
        } catch {
            throw SignetError(error)
        }
    }

    /// Flushes all data so far, so that it survives a loss of power, with the events in memory that the disk refused.
    ///
    /// Concurrent callers share a flush, and hold no thread while they wait for the disk.
    func syncTogether() async throws(SignetError) {
        try self.emptyMemory()
        try await self.disk.syncTogether()
    }

    /// Removes what is not used any more, and keeps the files small, on the disk's own thread.
    ///
    /// In pieces, so that other work of the thread comes between. A cancelled task waits for none of them.
    ///
    /// - Throws: The error of the disk; `cancelled`.
    func tidyDisk() async throws(SignetError) {
        // First, so that a compaction leaves out removed contexts.
        try await self.disk.performUntilCancelled { () throws(SignetError) in try self.sweepContexts() }
        try await self.disk.performUntilCancelled { () throws(SignetError) in try self.numbers.sweepBreadcrumbs() }
        try await self.disk.performUntilCancelled { () throws(SignetError) in try self.disk.tidy() }
    }

    /// Removes unused contexts of installations.
    func sweepContexts() throws(SignetError) {
        guard self.ownContexts.isSweepDue(now: self.time.uptime) else { return }
        _ = try self.ownContexts.sweep(now: self.time.uptime) { used throws(SignetError) in
            try self.noteLoggedContexts(&used)
        }
    }

    /// Adds the contexts of waiting events.
    func noteLoggedContexts(_ used: inout Set<UInt32>) throws(SignetError) {
        // Events in memory, which the disk refused, count as the journal's.
        _ = try self.lastSequence()
        try self.journal.noteContexts(&used)
    }

    // MARK: - Reports

    /// Counts and reports a change of state that the disk refused.
    func reportNotSaved(_ installation: InstallationID, _ error: SignetError) {
        self.statistics.record { $0.statesNotSaved += 1 }
        self.observer.stateNotSaved(installation: installation, error: error)
    }

    /// Counts and reports events that were given up.
    func dropped(_ count: Int, _ cause: DropCause) {
        guard count > 0 else { return }
        self.statistics.record { $0.eventsDropped[cause, default: 0] += count }
        self.observer.eventsDropped(count, cause: cause)
    }

    /// Counts and reports damage.
    func reportDamage(_ description: String) {
        self.statistics.record { $0.damagedRecords += 1 }
        self.observer.corruptionDetected(description)
    }

    /// The same for a thing that is found damaged again each time it is needed: only the first time.
    func reportDamage(_ description: String, of thing: DamagedThing) {
        guard self.damagedThings.withLock({ $0.insert(thing).inserted }) else { return }
        self.reportDamage(description)
    }
}
