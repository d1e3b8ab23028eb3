// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria
import SignetLock
import SignetModel
import SignetTransport
import SignetWire

import struct FoundationEssentials.UUID

/// Keeps the records of one installation's visitor, and sends them to Iterable as its machine decides.
///
/// Requests run inside `run()`, one at a time and in order. Callers wait for the disk only.
actor IterableManager: LinkedManager {
    /// The state that is read without waiting for the actor.
    struct Snapshot: Sendable {
        var state: IterableVisitor.State
        var consentedAt: Int64?
        var isRetired = false
        /// True while a launch is still to be counted, before any later event.
        var isLaunchDue = false
    }

    nonisolated let installation: InstallationID
    nonisolated let snapshot: Locked<Snapshot>
    /// Logged events that are the visitor's too.
    ///
    /// A kill before their takeover costs the copy, never the event.
    nonisolated let mirrored = Locked(Deque<MirroredRecord>())
    nonisolated let services: IterableServices
    nonisolated let tokens: IterableTokenManager
    let requests: IterableRequests
    /// The installation that it follows, while that is in memory.
    nonisolated let home = LinkedHomeReference()
    let store: IterableStore
    var machine: IterableStateMachine
    var criteria: Criteria?
    private var hasAskedForCriteria = false
    var evaluator: CriteriaEvaluator?
    /// The path of the last reported condition that takes too much work.
    var undecided: String?
    /// True while a job of this manager runs or waits for `run()`.
    var isWorking = false
    let wakeup = AsyncSignal()
    /// True if the disk has refused the memory: it is written with the next change.
    var isSaveDue = false
    /// True if the disk has refused the consequences of an opt-out: nothing is sent until it accepts them.
    var isOptOutDue = false
    var settling: [Promise<Void>] = []
    /// The work in other actors that follows from decisions.
    var pendingWork = PendingWork()
    /// The change of the user that is being sent to Iterable, and the installation that receives the outcome.
    var watch: (record: OutboxEntry, id: IterableUserID, home: any LinkedHome)?

    /// The user who is about to become known, and already has a token.
    var incoming: IterableUserID?

    /// See `pendingWork`.
    struct PendingWork {
        var forgetsToken = false
        var criteria: CriteriaOccasion?
        var pausesTokens: Bool?
    }

    /// Restores the stored state.
    ///
    /// - Parameters:
    ///   - installation: The installation of the visitor.
    ///   - store: The stored data of the visitor.
    ///   - requests: Makes the requests.
    ///   - tokens: The source of tokens.
    ///   - services: The services that all visitors share.
    /// - Throws: Errors of the disk; `newerFormat` for a record that only a newer version can read.
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
        // Left by a kill between the write of the memory, which excludes them, and their removal.
        for record in records where !memory.owns(record.ordinal) { try store.remove(record.ordinal) }
    }

    // MARK: - Calls

    /// Sets or revokes the visitor's consent.
    func setConsent(_ isGiven: Bool) async throws(SignetError) {
        if isGiven { try self.refuseOptedOut() }
        await self.prepare()
        let now = self.services.time.milliseconds
        try await self.perform { ((), $0.setConsent(isGiven, now: now)) }
    }

    /// Notes a launch of the app.
    ///
    /// It is counted with the next call, or when the runtime runs.
    nonisolated func launch() {
        self.snapshot.withLock { $0.isLaunchDue = true }
    }

    /// Continues the pending work.
    func resume() async {
        await self.prepare()
        do throws(SignetError) {
            try await self.perform { _ in ((), []) }
        } catch {
            self.reportNotSaved(error)
        }
    }

    /// Takes over a change of the installation's user.
    func follow() async throws(SignetError) {
        try await self.perform { _ in ((), []) }
    }

    /// Handles the app's return to the foreground: fetches the criteria if that is configured.
    func enterForeground() async {
        guard self.services.configuration.fetchesInForeground, self.machine.wantsCriteria else { return }
        await self.services.criteria.fetch(.foreground)
    }

    private func refuseOptedOut() throws(SignetError) {
        guard self.home.target?.isOptedOut != true else { throw .optedOut }
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

    /// Keeps the app's permission to show notifications on the device.
    func setNotifications(areAllowed: Bool) async throws(SignetError) -> IterableTrackResult {
        await self.prepare()
        return try await self.perform { $0.setNotifications(areAllowed: areAllowed) }
    }

    /// Identifies the user.
    func identify(_ id: IterableUserID, token: String?, _ resolution: IdentityResolution) async throws(SignetError) {
        try self.refuseOptedOut()
        await self.prepare()
        if let token {
            // A logout of another user that is in progress must not remove this token.
            self.incoming = id
            defer { self.incoming = nil }
            try await self.tokens.set(token, for: id.wire)
            self.machine.clearPause()
        }
        let (replays, merges) = self.decided(resolution)
        let mpid = self.home.target?.currentMPID
        try await self.perform { ((), $0.identify(id, replays: replays, merges: merges, mpid: mpid)) }
    }

    /// Logs the user out.
    func logout() async throws(SignetError) {
        await self.prepare()
        let now = self.services.time.milliseconds / 1000
        try await self.perform { ((), $0.logout(now: now)) }
    }

    /// Changes the user's address.
    ///
    /// - Throws: `noUser` when there is no known user.
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

    /// Forgets a user of the installation who is no longer in front of it.
    func forget(_ mpid: MPID) async throws(SignetError) {
        try await self.perform { machine in ((), machine.forget { $0 == mpid }) }
    }

    /// Pauses or resumes the token requests to the app.
    func setTokens(arePaused: Bool) async {
        guard !arePaused else { return await self.tokens.pause() }
        await self.tokens.resume()
        self.machine.clearPause()
        self.work()
    }

    /// Takes over new criteria, or the failure to fetch them.
    func criteriaChanged(_ updates: IterableChange.Kind, _ criteria: Criteria?) async {
        self.hasAskedForCriteria = true
        self.criteria = criteria
        self.evaluator = nil
        self.machine.criteriaArrived()
        self.evaluate()
        self.tell(updates)
        self.work()
    }

    /// The rule for the visitor: as passed with the call, or as configured.
    func decided(_ resolution: IdentityResolution) -> (replays: Bool, merges: Bool) {
        let base = self.services.configuration.resolution
        return (
            resolution.replayOnVisitorToKnown ?? base.replayOnVisitorToKnown ?? true,
            resolution.mergeOnUnknownToKnown ?? base.mergeOnUnknownToKnown ?? true
        )
    }

    /// Loads the current criteria once, if there are any.
    private func prepare() async {
        guard !self.hasAskedForCriteria else { return }
        let criteria = await self.services.criteria.current()
        guard !self.hasAskedForCriteria else { return }
        self.hasAskedForCriteria = true
        self.criteria = criteria
        self.evaluate()
    }

    /// Retires the manager: it writes nothing any more.
    package nonisolated func retire() {
        self.snapshot.withLock { $0.isRetired = true }
    }
}
