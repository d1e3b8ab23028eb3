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

import struct FoundationEssentials.UUID

/// What all installations of a runtime share.
final class RuntimeServices: Sendable {
    let time: TimeSource
    let store: StateStore
    let journal: Journal
    let memory: MemoryEvents
    let intake: EventIntake
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
    let visitorChanges: Broadcast<VisitorChange>
    let profileChanges: Broadcast<ProfileNotice>
    let linkedOutcomes: Broadcast<LinkedOutcome>
    /// Nil where no visitors are configured.
    let visitors: VisitorServices?
    /// Nil where no profiles are configured.
    let profiles: ProfileServices?
    let sessionRules: SessionRules
    let timeout: SessionTimeout
    let leftSessions: LeftSessions
    let newSessionID: @Sendable () -> UUID
    /// Installations that were reset, and whose files the disk has not let go.
    let resets = Locked(ResetsUnderWay())
    private let gate: SyncGate

    init(
        store: StateStore,
        journal: Journal,
        memory: MemoryEvents,
        intake: EventIntake,
        numbers: InstallationNumbers,
        contexts: BatchContexts,
        ownContexts: InstallationContexts,
        identity: IdentityServices,
        sessions: SessionManager,
        leftSessions: LeftSessions,
        events: EventQueue,
        aliases: AliasQueue,
        aliasOutcomes: Broadcast<AliasOutcome>,
        visitorChanges: Broadcast<VisitorChange>,
        visitors: VisitorServices?,
        profileChanges: Broadcast<ProfileNotice>,
        profiles: ProfileServices?,
        statistics: StatisticsRecorder,
        observer: any SignetObserver,
        configuration: SignetConfiguration,
        gate: SyncGate
    ) {
        self.time = configuration.time
        self.store = store
        self.journal = journal
        self.memory = memory
        self.intake = intake
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
        self.visitorChanges = visitorChanges
        self.linkedOutcomes = Broadcast()
        self.visitors = visitors
        self.profileChanges = profileChanges
        self.profiles = profiles
        self.sessionRules = SessionRules(configuration.sessions)
        self.timeout = SessionTimeout(configuration.sessions.timeout)
        self.leftSessions = leftSessions
        self.newSessionID = configuration.newSessionID
        self.gate = gate
    }

    /// Makes everything so far survive a loss of power, also what is in memory, because the disk did not take it.
    ///
    /// Those who ask at the same time share a flush, and hold no thread while they wait for the disk.
    func syncTogether() async throws(SignetError) {
        do throws(StorageError) {
            try self.memory.drain()
        } catch {
            throw SignetError(error)
        }
        try await self.gate.sync()
    }

    /// How long a session lives without an event, as of now.
    var sessionTimeout: Duration {
        self.timeout.value
    }

    /// Counts and tells a change of state that the disk refused.
    func reportNotSaved(_ installation: InstallationID, _ error: SignetError) {
        self.statistics.record { $0.statesNotSaved += 1 }
        self.observer.stateNotSaved(installation: installation, error: error)
    }

    /// Counts and tells damage.
    func reportDamage(_ description: String) {
        self.statistics.record { $0.damagedRecords += 1 }
        self.observer.damageFound(description)
    }
}
