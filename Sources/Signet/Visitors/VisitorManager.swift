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
actor VisitorManager {
    /// What is read without waiting for the actor.
    struct Snapshot: Sendable {
        var state: VisitorState
        var consentedAt: Int64?
        var isRetired = false
        /// Whether a launch is still to be counted; before anything else that is told.
        var isLaunchDue = false
    }

    nonisolated let installation: InstallationID
    nonisolated let snapshot: Locked<Snapshot>
    /// What was logged and is the visitor's too; a kill before it is taken over costs the copy, never the event.
    nonisolated let mirrored = Locked(FIFO<VisitorRecord>())
    nonisolated let services: VisitorServices
    nonisolated let tokens: VisitorTokenManager
    let requests: VisitorRequests
    private let store: VisitorStore
    var machine: VisitorStateMachine
    private var criteria: Criteria?
    private var hasAskedForCriteria = false
    private var evaluator: CriteriaEvaluator?
    /// Whether a job of this manager runs, or waits for `run()`.
    var isWorking = false
    let wakeup = Wakeup()
    /// Whether the disk has refused the memory: it is written with the next change.
    private var isSaveDue = false
    var settling: [Promise<Void>] = []
    private var watch: (id: VisitorID, end: Promise<LinkedOutcome.Kind>)?

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
        store: VisitorStore,
        requests: VisitorRequests,
        tokens: VisitorTokenManager,
        services: VisitorServices
    ) throws(SignetError) {
        let (memory, records) = try store.load { services.reportDamage($0) }
        let configuration = services.configuration
        self.installation = installation
        self.store = store
        self.requests = requests
        self.tokens = tokens
        self.services = services
        self.machine = VisitorStateMachine(
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
        self.work()
    }

    private func takeLaunch() async {
        let isDue = self.snapshot.withLock { snapshot in
            defer { snapshot.isLaunchDue = false }
            return snapshot.isLaunchDue
        }
        guard isDue else { return }
        let now = self.services.time.milliseconds / 1000
        do throws(SignetError) {
            try await self.perform { ((), $0.launch(now: now)) }
        } catch {
            self.services.statistics.record { $0.statesNotSaved += 1 }
            self.services.observer.stateNotSaved(installation: self.installation, error: error)
        }
    }

    /// The app came to the foreground.
    func enterForeground() async {
        guard self.services.configuration.fetchesInForeground, self.machine.wantsCriteria else { return }
        await self.services.criteria.fetch(.foreground)
    }

    /// Keeps a record.
    func record(_ record: VisitorRecord) async throws(SignetError) -> VisitorReceipt {
        await self.prepare()
        return try await self.perform { $0.record(record, id: .random()) }
    }

    /// Keeps the push token of the device.
    func setPushToken(_ token: VisitorPushToken) async throws(SignetError) -> VisitorReceipt {
        await self.prepare()
        return try await self.perform { $0.setPushToken(token) }
    }

    /// Says who it is.
    func identify(_ id: VisitorID, token: String?, _ resolution: IdentityResolution) async throws(SignetError) {
        await self.prepare()
        if let token {
            try await self.tokens.set(token, for: id.wire)
            self.machine.clearPause()
        }
        let base = self.services.configuration.resolution
        let replays = resolution.replaysVisitor ?? base.replaysVisitor ?? true
        let merges = resolution.mergesUnknown ?? base.mergesUnknown ?? true
        try await self.perform { ((), $0.identify(id, replays: replays, merges: merges)) }
    }

    /// Says that the user has gone.
    func logout() async throws(SignetError) {
        await self.prepare()
        let now = self.services.time.milliseconds / 1000
        try await self.perform { ((), $0.logout(now: now)) }
    }

    /// Who was known has gone; a visitor and an unknown user stay who they are.
    func leave() async throws(SignetError) {
        guard self.machine.memory.current?.isKnown == true else { return }
        try await self.logout()
    }

    /// Gives the user another address.
    ///
    /// - Throws: `noUser` when nobody is known.
    func changeEmail(_ email: String) async throws(SignetError) {
        await self.prepare()
        let isKnown = try await self.perform { machine in
            let actions = machine.changeEmail(email)
            return (actions != nil, actions ?? [])
        }
        guard isKnown else { throw .noUser }
    }

    /// Forgets everything, on disk too.
    func forget() async throws(SignetError) {
        try await self.perform { ((), $0.forget()) }
        try self.store.removeAll()
    }

    /// The app may be asked for tokens again, or is to be left alone.
    func setTokens(arePaused: Bool) async {
        guard !arePaused else { return await self.tokens.pause() }
        await self.tokens.resume()
        self.machine.clearPause()
        self.work()
    }

    /// The criteria of the project are others, or could not be had.
    func criteriaChanged(_ news: VisitorChange.Kind, _ criteria: Criteria?) async {
        self.hasAskedForCriteria = true
        self.criteria = criteria
        self.evaluator = nil
        self.machine.criteriaArrived()
        self.evaluate()
        self.tell(news)
        self.work()
    }

    /// It leaves memory as it is, and writes nothing any more.
    nonisolated func retire() {
        self.snapshot.withLock { $0.isRetired = true }
    }

    // MARK: - Decisions

    /// Takes over what was logged, in order, before anything that is told afterwards.
    func takeMirrored() async {
        while let record = self.mirrored.withLock({ $0.popFirst() }) {
            do throws(SignetError) {
                _ = try await self.perform { $0.record(record, id: .random()) }
            } catch {
                self.services.statistics.record { $0.statesNotSaved += 1 }
                self.services.observer.stateNotSaved(installation: self.installation, error: error)
            }
        }
    }

    private func prepare() async {
        await self.askForCriteria()
        await self.takeLaunch()
        await self.takeMirrored()
    }

    private func askForCriteria() async {
        guard !self.hasAskedForCriteria else { return }
        let criteria = await self.services.criteria.current()
        guard !self.hasAskedForCriteria else { return }
        self.hasAskedForCriteria = true
        self.criteria = criteria
        self.evaluate()
    }

    /// Lets the machine decide, and does what it says: what the disk does not take has not happened.
    private func perform<Result>(
        _ decide: (inout VisitorStateMachine) -> (Result, [VisitorStateMachine.Action])
    ) async throws(SignetError) -> Result {
        guard !self.snapshot.withLock({ $0.isRetired }) else { throw .closed }
        var machine = self.machine
        var (result, actions) = decide(&machine)
        if self.isSaveDue, !actions.isEmpty { actions.insert(.save, at: 0) }
        for action in actions { try self.write(action, of: machine) }
        self.machine = machine
        await self.follow(actions)
        return result
    }

    /// Does what an answer led to: it has happened, so it stands even if the disk refuses it.
    func settle(_ actions: [VisitorStateMachine.Action]) async {
        for action in actions {
            if case .tell(.unknownUserCreated) = action { self.publish() }
            if case .tell(let news) = action, case .unknownUserCreated = news { self.tell(news) }
            do throws(SignetError) {
                try self.write(action, of: self.machine)
            } catch {
                self.services.statistics.record { $0.statesNotSaved += 1 }
                self.services.observer.stateNotSaved(installation: self.installation, error: error)
            }
        }
        let rest = actions.filter { if case .tell(.unknownUserCreated) = $0 { false } else { true } }
        await self.follow(rest)
    }

    private func write(_ action: VisitorStateMachine.Action, of machine: VisitorStateMachine) throws(SignetError) {
        guard !self.snapshot.withLock({ $0.isRetired }) else { return }
        switch action {
        case .save:
            self.isSaveDue = true
            try self.store.save(machine.memory)
            self.isSaveDue = false
        case .store(let record): try self.store.save(record)
        case .remove(let ordinals):
            do throws(SignetError) {
                for ordinal in ordinals { try self.store.remove(ordinal) }
            } catch {
                // The memory says already that they count no longer, or the service recognises them by their ids.
                self.services.statistics.record { $0.statesNotSaved += 1 }
                self.services.observer.stateNotSaved(installation: self.installation, error: error)
            }
        case .tell, .reevaluate, .evaluate, .fetchCriteria, .forgetToken: break
        }
    }

    /// Persisted is it: now the fact, then the news, then what follows from it.
    private func follow(_ actions: [VisitorStateMachine.Action]) async {
        self.publish()
        var occasion: CriteriaOccasion?
        var forgetsToken = false
        var isStored = false
        var isNew = false
        for action in actions {
            switch action {
            case .tell(let news): self.tell(news)
            case .reevaluate:
                self.evaluator = nil
                isNew = true
            case .evaluate(let record):
                self.evaluator?.record(record)
                isNew = true
            case .fetchCriteria(let wanted): occasion = wanted
            case .forgetToken: forgetsToken = true
            case .store: isStored = true
            case .save, .remove: break
            }
        }
        if isStored { self.services.statistics.record { $0.visitorRecordsStored += 1 } }
        // A refused activation is not asked for again by itself: with the next record, or other criteria.
        if isNew { self.evaluate() }
        self.work()
        if forgetsToken { await self.tokens.reset() }
        if let occasion { await self.services.criteria.fetch(occasion) }
    }

    /// Holds what the visitor did against the criteria; only what is new, where there was anything before.
    private func evaluate() {
        guard self.machine.isEnabled, self.machine.state == .visitor, let criteria else { return }
        if self.evaluator == nil {
            self.evaluator = CriteriaEvaluator(
                criteria,
                threshold: self.machine.threshold,
                records: self.machine.visitorRecords.map(\.record)
            )
        }
        guard let criterion = self.evaluator?.matchedID else { return }
        var machine = self.machine
        let actions = machine.matched(criterion) { .random() }
        do throws(SignetError) {
            for action in actions { try self.write(action, of: machine) }
            self.machine = machine
            self.publish()
        } catch {
            // Nothing is sent before its UUID is on disk; the next record tries again.
            self.services.statistics.record { $0.statesNotSaved += 1 }
            self.services.observer.stateNotSaved(installation: self.installation, error: error)
        }
    }

    private func publish() {
        let (state, consentedAt) = (self.machine.state, self.machine.memory.consentedAt)
        self.snapshot.withLock {
            $0.state = state
            $0.consentedAt = consentedAt
        }
    }

    /// Tells once the user of now is who they are to the service, too; of a watch before, that another has come.
    func watchResolution() -> Promise<LinkedOutcome.Kind> {
        let end = Promise<LinkedOutcome.Kind>()
        let current = self.machine.memory.current
        if let watch = self.watch {
            if watch.id == current?.id { return watch.end }
            watch.end.resolve(.superseded)
            self.watch = nil
        }
        switch self.machine.state {
        case .resolving(let id): self.watch = (id, end)
        default: end.resolve(.done)
        }
        return end
    }

    private func resolve(_ kind: VisitorChange.Kind) {
        guard let watch = self.watch else { return }
        switch kind {
        case .resolved(let id) where id == watch.id: watch.end.resolve(.done)
        case .mergeFailed(_, let id, let error) where id == watch.id: watch.end.resolve(.failed(error))
        case .abandoned(let id, let error) where id == watch.id: watch.end.resolve(.failed(error))
        default: return
        }
        self.watch = nil
    }

    private func tell(_ kind: VisitorChange.Kind) {
        self.resolve(kind)
        if case .recordsDropped(let count, let cause) = kind {
            self.services.statistics.record { $0.visitorRecordsDropped[cause, default: 0] += count }
            self.services.observer.visitorRecordsDropped(count, installation: self.installation, cause: cause)
        }
        let change = VisitorChange(installation: self.installation, kind: kind)
        self.services.changes.send(change, of: self.installation)
    }
}
