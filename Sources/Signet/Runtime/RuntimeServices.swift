// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

/// The services that all installations of a runtime share.
final class RuntimeServices: Sendable {
    let time: TimeSource
    let store: StateStore
    let journal: Journal
    let memory: OverflowBuffer
    let ingress: EventIngress
    let numbers: InstallationNumbers
    let contexts: BatchContexts
    let ownContexts: InstallationContexts
    let identity: IdentityServices
    let sessions: SessionManager
    let events: EventQueue
    let aliases: AliasQueue
    let statistics: StatisticsRecorder
    let observer: any SignetObserver
    let userChanges: Broadcast<UserChange>
    let sessionChanges: Broadcast<SessionChange>
    let aliasOutcomes: Broadcast<AliasOutcome>
    let identitySyncOutcomes: Broadcast<IdentitySyncOutcome>
    /// The services that follow the installations.
    let linked: LinkedServices
    let sessionRules: SessionRules
    let timeout: SessionTimeout
    let sessionRecovery: SessionRecovery
    let newSessionID: @Sendable () -> UUID
    /// The resets whose data is not yet removed from disk.
    let resets = Locked(ResetsUnderWay())
    private let gate: GroupCommit

    init(
        store: StateStore,
        journal: Journal,
        memory: OverflowBuffer,
        ingress: EventIngress,
        numbers: InstallationNumbers,
        contexts: BatchContexts,
        ownContexts: InstallationContexts,
        identity: IdentityServices,
        sessions: SessionManager,
        sessionRecovery: SessionRecovery,
        events: EventQueue,
        aliases: AliasQueue,
        aliasOutcomes: Broadcast<AliasOutcome>,
        linked: LinkedServices,
        statistics: StatisticsRecorder,
        observer: any SignetObserver,
        configuration: SignetConfiguration,
        gate: GroupCommit
    ) {
        self.time = configuration.time
        self.store = store
        self.journal = journal
        self.memory = memory
        self.ingress = ingress
        self.numbers = numbers
        self.contexts = contexts
        self.ownContexts = ownContexts
        self.identity = identity
        self.sessions = sessions
        self.events = events
        self.aliases = aliases
        self.statistics = statistics
        self.observer = observer
        self.userChanges = Broadcast()
        self.sessionChanges = Broadcast()
        self.aliasOutcomes = aliasOutcomes
        self.identitySyncOutcomes = Broadcast()
        self.linked = linked
        self.sessionRules = SessionRules(configuration.sessions)
        self.timeout = SessionTimeout(configuration.sessions.timeout)
        self.sessionRecovery = sessionRecovery
        self.newSessionID = configuration.newSessionID
        self.gate = gate
    }

    /// Flushes all data so far, so that it survives a loss of power, with the events in memory that the disk refused.
    ///
    /// Concurrent callers share a flush, and hold no thread while they wait for the disk.
    func syncTogether() async throws(SignetError) {
        do throws(StorageError) {
            try self.memory.drain()
        } catch {
            throw SignetError(error)
        }
        try await self.gate.sync()
    }

    /// The current session timeout: the time that a session lives without an event.
    var sessionTimeout: Duration {
        self.timeout.value
    }

    /// Counts and reports a change of state that the disk refused.
    func reportNotSaved(_ installation: InstallationID, _ error: SignetError) {
        self.statistics.record { $0.statesNotSaved += 1 }
        self.observer.stateNotSaved(installation: installation, error: error)
    }

    /// Counts and reports damage.
    func reportDamage(_ description: String) {
        self.statistics.record { $0.damagedRecords += 1 }
        self.observer.corruptionDetected(description)
    }
}
