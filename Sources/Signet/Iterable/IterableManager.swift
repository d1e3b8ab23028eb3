//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetCriteria
import SignetLock
import SignetModel
import SignetTransport
import SignetWire

import struct FoundationEssentials.UUID

/// Keeps what the visitor of one installation does, and tells the service of it as its machine decides.
///
/// Requests are performed inside `run()`, one at a time and in order; who calls waits for the disk only.
actor IterableManager {
    /// What is read without waiting for the actor.
    struct Snapshot: Sendable {
        var state: IterableState
        var consentedAt: Int64?
        var isRetired = false
        /// Whether a launch is still to be counted; before anything else that is told.
        var isLaunchDue = false
    }

    nonisolated let installation: InstallationID
    nonisolated let snapshot: Locked<Snapshot>
    /// What was logged and is the visitor's too; a kill before it is taken over costs the copy, never the event.
    nonisolated let mirrored = Locked(Deque<MirroredRecord>())
    nonisolated let services: IterableServices
    nonisolated let tokens: IterableTokenManager
    let requests: IterableRequests
    /// The installation that it follows, as far as it is in memory.
    nonisolated let home = LinkedHomeReference()
    let store: IterableStore
    var machine: IterableStateMachine
    var criteria: Criteria?
    private var hasAskedForCriteria = false
    var evaluator: CriteriaEvaluator?
    /// The path of the condition of which it was told last that it takes too much work.
    var undecided: String?
    /// Whether a job of this manager runs, or waits for `run()`.
    var isWorking = false
    let wakeup = AsyncSignal()
    /// Whether the disk has refused the memory: it is written with the next change.
    var isSaveDue = false
    /// Whether the disk has refused what follows from an opt-out: nothing is sent until it takes it.
    var isOptOutDue = false
    var settling: [Promise<Void>] = []
    /// What is to be done in other actors about decisions that were made.
    var pendingWork = PendingWork()
    /// The change of the user that is being told to the service, and where to say that it was.
    var watch: (record: OutboxEntry, id: IterableUserID, home: any LinkedHome)?

    /// Who is about to be known, and has a token already.
    var incoming: IterableUserID?

    /// See `pendingWork`.
    struct PendingWork {
        var forgetsToken = false
        var criteria: CriteriaOccasion?
        var pausesTokens: Bool?
    }

    /// Restores what the disk remembers.
    ///
    /// - Parameters:
    ///   - installation: Whose visitor.
    ///   - store: Where it is remembered.
    ///   - requests: Says things in the words of the wire.
    ///   - tokens: Where tokens come from.
    ///   - services: What all visitors share.
    /// - Throws: What the disk says; `newerFormat` for what only a newer version can read.
    init(
        installation: InstallationID,
        store: IterableStore,
        requests: IterableRequests,
        tokens: IterableTokenManager,
        services: IterableServices
    ) throws(SignetError) {
        let (memory, records) = try store.load { services.reportDamage($0) }
        let configuration = services.configuration
        self.installation = installation
        self.store = store
        self.requests = requests
        self.tokens = tokens
        self.services = services
        self.machine = IterableStateMachine(
            restoring: memory,
            records: records,
            isEnabled: configuration.isEnabled,
            threshold: configuration.eventThreshold,
            queueLimit: configuration.queueLimit
        )
        self.snapshot = Locked(Snapshot(state: self.machine.state, consentedAt: memory.consentedAt))
        // Left by a kill between the memory, which says that they count no longer, and their removal.
        for record in records where !memory.owns(record.ordinal) { try store.remove(record.ordinal) }
    }

    // MARK: - Calls

    /// Says whether the visitor agrees.
    func setConsent(_ isGiven: Bool) async throws(SignetError) {
        if isGiven { try self.refuseOptedOut() }
        await self.prepare()
        let now = self.services.time.milliseconds
        try await self.perform { ((), $0.setConsent(isGiven, now: now)) }
    }

    /// The app was launched: counted with the next call, or when somebody runs the runtime.
    nonisolated func launch() {
        self.snapshot.withLock { $0.isLaunchDue = true }
    }

    /// Goes on with what was left.
    func resume() async {
        await self.prepare()
        do throws(SignetError) {
            try await self.perform { _ in ((), []) }
        } catch {
            self.reportNotSaved(error)
        }
    }

    /// The user of the installation has changed.
    func follow() async throws(SignetError) {
        try await self.perform { _ in ((), []) }
    }

    /// The app came to the foreground.
    func enterForeground() async {
        guard self.services.configuration.fetchesInForeground, self.machine.wantsCriteria else { return }
        await self.services.criteria.fetch(.foreground)
    }

    private func refuseOptedOut() throws(SignetError) {
        guard self.home.target?.isOptedOut != true else { throw .optOut }
    }

    /// Keeps a record.
    func record(_ record: IterableRecord) async throws(SignetError) -> IterableTrackResult {
        await self.prepare()
        return try await self.perform { $0.record(record, id: .random()) }
    }

    /// Keeps the push token of the device.
    func setPushToken(_ token: IterablePushToken) async throws(SignetError) -> IterableTrackResult {
        await self.prepare()
        return try await self.perform { $0.setPushToken(token) }
    }

    /// Keeps whether the app may show notifications on the device.
    func setNotifications(areAllowed: Bool) async throws(SignetError) -> IterableTrackResult {
        await self.prepare()
        return try await self.perform { $0.setNotifications(areAllowed: areAllowed) }
    }

    /// Says who it is.
    func identify(_ id: IterableUserID, token: String?, _ resolution: IdentityResolution) async throws(SignetError) {
        try self.refuseOptedOut()
        await self.prepare()
        if let token {
            // A goodbye to somebody else that is under way does not take it along.
            self.incoming = id
            defer { self.incoming = nil }
            try await self.tokens.set(token, for: id.wire)
            self.machine.clearPause()
        }
        let (replays, merges) = self.decided(resolution)
        let mpid = self.home.target?.currentMPID
        try await self.perform { ((), $0.identify(id, replays: replays, merges: merges, mpid: mpid)) }
    }

    /// Says that the user has gone.
    func logout() async throws(SignetError) {
        await self.prepare()
        let now = self.services.time.milliseconds / 1000
        try await self.perform { ((), $0.logout(now: now)) }
    }

    /// Gives the user another address.
    ///
    /// - Throws: `noUser` when nobody is known.
    func changeEmail(_ email: String) async throws(SignetError) {
        try self.refuseOptedOut()
        await self.prepare()
        let isKnown = try await self.perform { machine in
            let actions = machine.changeEmail(email)
            return (actions != nil, actions ?? [])
        }
        guard isKnown else { throw .noUser }
    }

    /// Forgets everything, on disk too.
    func forget() async throws(SignetError) {
        self.watch = nil
        try await self.perform { ((), $0.forget()) }
        try self.store.removeAll()
    }

    /// Forgets a user of the installation who is not in front of it any more.
    func forget(_ mpid: MPID) async throws(SignetError) {
        try await self.perform { machine in ((), machine.forget { $0 == mpid }) }
    }

    /// The app may be asked for tokens again, or is to be left alone.
    func setTokens(arePaused: Bool) async {
        guard !arePaused else { return await self.tokens.pause() }
        await self.tokens.resume()
        self.machine.clearPause()
        self.work()
    }

    /// The criteria of the project are others, or could not be had.
    func criteriaChanged(_ updates: IterableChange.Kind, _ criteria: Criteria?) async {
        self.hasAskedForCriteria = true
        self.criteria = criteria
        self.evaluator = nil
        self.machine.criteriaArrived()
        self.evaluate()
        self.tell(updates)
        self.work()
    }

    /// What becomes of the visitor: as said with the call, or as configured.
    func decided(_ resolution: IdentityResolution) -> (replays: Bool, merges: Bool) {
        let base = self.services.configuration.resolution
        return (
            resolution.replayOnVisitorToKnown ?? base.replayOnVisitorToKnown ?? true,
            resolution.mergeOnUnknownToKnown ?? base.mergeOnUnknownToKnown ?? true
        )
    }

    /// The criteria of now are there, if there are any.
    private func prepare() async {
        guard !self.hasAskedForCriteria else { return }
        let criteria = await self.services.criteria.current()
        guard !self.hasAskedForCriteria else { return }
        self.hasAskedForCriteria = true
        self.criteria = criteria
        self.evaluate()
    }

    /// It leaves memory as it is, and writes nothing any more.
    nonisolated func retire() {
        self.snapshot.withLock { $0.isRetired = true }
    }
}
