// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

/// The work of a replica, once a second: it tells the store what its installations did, and ends sessions that are over.
actor FleetLoop {
    /// The number of rows that one look claims.
    private static let portion = SharedStoreLimits.batch
    /// The time until a claimed row is due again, if this replica dies.
    private static let claim = Duration.seconds(30)
    /// The time between two times of forgetting what is old.
    private static let forgetting = Duration.seconds(6 * 3600)
    /// The time after which the queue is woken to forget installations that have left memory.
    private static let idling = Duration.seconds(30)

    private let fleet: FleetMember
    private let context: RuntimeContext
    private let stores: SharedStores
    private let users: SharedUsers
    private let erasure: UserErasure
    private var flush = ActivityFlush()
    /// The stores of the activity that was not answered, and its sessions.
    private var told: [UUID: SharedInstallationStore] = [:]
    private var activities: [UUID: LocalActivity] = [:]
    private var lastFailure: String?
    /// The uptime at which old erasures are forgotten.
    private var nextForgetting = Duration.zero
    /// The uptime at which the queue forgets the installations that have left memory, if it has nothing else to do until then.
    private var nextIdling = Duration.zero
    private var erasureCheck = ErasureCheck()
    /// Signalled when a flush was answered that erasures wait.
    private let erasures = AsyncSignal()
    private var looks = FleetLooks()
    /// The end of the look that is under way.
    private var lookEnd = Promise<Void>()

    init(_ stores: SharedStores, _ users: SharedUsers, _ erasure: UserErasure) {
        (self.fleet, self.context, self.stores) = (stores.fleet, stores.context, stores)
        (self.users, self.erasure) = (users, erasure)
    }

    /// Works until the task is cancelled.
    func run() async {
        await withTaskGroup { group in
            // Beside the rest: an erasure waits for another one, and for answers of the platform.
            group.addTask { await self.eraseNowAndThen() }
            if let retention = FleetRetention(self.fleet, self.context) {
                group.addTask { await retention.run { await self.report($0) } }
            }
            await self.work()
        }
    }

    private func work() async {
        var isBehind = false
        while !Task.isCancelled {
            if !isBehind, await !self.pause() { return }
            // Each time: the others must not take this replica for dead while it works.
            await self.tell()
            await self.reviewFormat()
            await self.forgetCarried()
            await self.forgetEnded()
            self.forgetIdle()
            isBehind = await self.lookUnlessOver()
        }
    }

    private func lookUnlessOver() async -> Bool {
        guard self.looks.begin() else { return false }
        self.lookEnd = Promise()
        let isBehind = await self.look()
        self.looks.end()
        self.lookEnd.resolve(())
        return isBehind
    }

    /// Begins no further look, and returns when the one that is under way has ended.
    ///
    /// A graceful shutdown calls it before it delivers the last events: a commit that is cut off has ended a session, and its event would
    /// wait in the row until another replica takes it over.
    func endLooks() async {
        if self.looks.stop() { _ = await self.lookEnd.value() }
    }

    private func eraseNowAndThen() async {
        while true {
            await self.erasures.wait(until: self.context.time.uptime + self.pauseLength, on: self.context.time)
            guard !Task.isCancelled else { return }
            if self.erasureCheck.isDue(at: self.context.time.uptime) { await self.eraseAsOthers() }
        }
    }

    /// Waits for the next time; spread, so that replicas do not look at the same time.
    ///
    /// - Returns: False if the task was cancelled.
    private func pause() async -> Bool {
        do { try await self.context.time.sleep(for: self.pauseLength) } catch { return false }
        return !Task.isCancelled
    }

    private var pauseLength: Duration {
        .milliseconds(900) + .milliseconds(200) * self.context.configuration.jitter()
    }

    /// Tells the store the rest, and leaves the replicas.
    func end() async {
        await self.tell(isLast: true)
        // A flush whose answer was lost goes first, alone; so does the first of two sessions of one installation.
        var left = self.flush.count + self.stores.unflushed.count
        while left > 0 {
            await self.tell(isLast: true)
            let rest = self.flush.count + self.stores.unflushed.count
            guard rest < left else { break }
            left = rest
        }
        // The sessions that these flushes have ended: else another replica would log their ends once more, with the same ids.
        await self.clearOutboxes(of: self.stores.unflushed.take())
        await self.fleet.leave()
    }

    private func report(_ error: SignetError) {
        // A store that stays away is reported once. Nothing is wrong with a row that was removed.
        guard error.message != self.lastFailure, error.code != .cancelled, error.code != .closed else { return }
        self.lastFailure = error.message
        self.context.observer.corruptionDetected("The shared store: \(error.message)")
    }

    private func reviewFormat() async {
        do throws(SharedStoreError) { try await self.fleet.reviewFormat() } catch { self.report(SignetError(error)) }
    }

    // MARK: - Activity

    /// Flushes the activity since the last time.
    ///
    /// - Parameter isLast: True at the end of this process.
    func tell(isLast: Bool = false) async {
        // Before the stores are taken: what has a stamp of before is in one of them, or in a commit that is under way.
        let now = self.stores.unflushed.cut(at: self.context.time)
        let stores = self.stores.unflushed.take()
        for store in stores {
            for activity in store.takeActivity() {
                self.flush.note(activity.events, in: activity.session, of: store.key, at: activity.last)
                self.told[store.key] = store
                let started = self.activities[activity.session]?.started ?? activity.started
                self.activities[activity.session] = LocalActivity(
                    session: activity.session,
                    started: started,
                    last: activity.last,
                    events: 0
                )
            }
        }
        let round = self.flush.begin(at: now) { .random() }
        let (replica, time) = (self.fleet.replica, self.context.time)
        do throws(SharedStoreError) {
            let answer = try await self.fleet.ask { store throws(SharedStoreError) in
                try await store.flush(
                    round.activities,
                    of: replica,
                    token: round.token,
                    age: time.uptime - round.cut
                )
            }
            self.lastFailure = nil
            if self.erasureCheck.flushed(answer.pendingErasures, sent: answer.sent) { self.erasures.signal() }
            await self.take(self.flush.take(answer.value), sent: now, isLast: isLast)
        } catch {
            self.erasureCheck.unanswered()
            // Batches ask by themselves until the store answers again.
            self.fleet.hearsOfErasures.withLock { $0 = false }
            if error.code == .unreachable || error.code == .busy { self.flush.notSent() }
            self.report(SignetError(error))
        }
        await self.renew(stores)
        await self.clearOutboxes(of: stores)
    }

    /// Removes from the rows what the journal has.
    private func clearOutboxes(of stores: [SharedInstallationStore]) async {
        for (index, store) in stores.enumerated() {
            do throws(SignetError) {
                self.follow(try await store.logOutbox(before: .min))
            } catch {
                self.report(error)
                guard error.code == .storeUnreachable else { continue }
                // It is away for the others too: a try of each would take its whole limit.
                for other in stores[(index + 1)...] { self.stores.unflushed.insert(other) }
                break
            }
        }
    }

    /// Reads the rows of handles whose events were refused by an old reading, or logged without one.
    private func renew(_ stores: [SharedInstallationStore]) async {
        let old = stores.filter(\.wantsReading)
        guard !old.isEmpty else { return }
        // At once: the rows are read together.
        await withTaskGroup { group in
            for store in old { group.addTask { await self.renewOrReport(store) } }
        }
    }

    private func renewOrReport(_ store: SharedInstallationStore) async {
        do throws(SignetError) {
            try await store.renew()
            // Opened while the store was away: with the row its events get sessions.
            guard !store.hasRow, let core = self.stores.object(of: store) else { return }
            try await core.openShared()
        } catch {
            self.report(error)
        }
    }

    private func take(_ findings: ActivityFlush.Findings, sent: Duration, isLast: Bool) async {
        for activity in findings.ended + findings.missing { await self.succeed(activity, isLast: isLast) }
        for (key, tag) in findings.tags { self.told[key]?.confirm(tag, at: sent) }
        let old = findings.tags.compactMap { key, tag in self.told[key].flatMap { $0.tag == tag ? nil : $0 } }
        for store in old {
            do throws(SignetError) { try await store.refresh() } catch { self.report(error) }
        }
        guard self.flush.count == 0 else { return }
        (self.told, self.activities) = ([:], [:])
    }

    /// Begins the session of events that were logged after one was over, or as the first ones.
    ///
    /// - Parameters:
    ///   - flushed: The events.
    ///   - isLast: True at the end of this process: no later flush begins the session.
    private func succeed(_ flushed: SharedActivity, isLast: Bool) async {
        guard let store = self.told[flushed.key] else { return }
        let started = self.activities[flushed.session]?.started ?? flushed.last
        let (session, events) = (flushed.session, flushed.events)
        let activity = LocalActivity(session: session, started: started, last: flushed.last, events: events)
        do throws(SignetError) {
            try await store.refresh()
            // Removed: what waits is dropped when its batch is cut.
            guard !store.isGone else { return self.stores.letGo(of: store) }
            guard store.openSession != flushed.session else { return store.giveBack(activity) }
            let told = try await isLast ? Int64.max : store.told()
            // Another replica may have events of the session before that it has not told.
            guard isLast || !store.isAwaited(told) else { return self.note(flushed) }
            let commit = try await store.commit(fencedBy: nil, decides: true, confirms: false) { machine, transaction in
                machine.succeed(with: activity, store.key, told: told, &transaction)
            }
            self.follow(commit)
            guard commit.value || store.openSession != flushed.session else { return store.giveBack(activity) }
            if !commit.value { self.countLate(flushed, store) }
        } catch {
            guard !store.isGone else { return self.stores.letGo(of: store) }
            self.report(error)
            // Nothing was changed: it is told again.
            guard error.code != .storeUnreachable, error.code != .storeBusy else { return self.note(flushed) }
            self.countLate(flushed, store)
        }
    }

    /// Counts the events that came after the end of their session; some of a flush may be in that end.
    private func countLate(_ flushed: SharedActivity, _ store: SharedInstallationStore) {
        let late = flushed.events - store.takeCounted(in: flushed.session, upTo: flushed.events)
        self.context.statistics.record { $0.eventsAfterSessionEnd += late }
    }

    /// Tells the activity again: another replica has begun its session meanwhile.
    private func note(_ flushed: SharedActivity) {
        self.flush.note(flushed.events, in: flushed.session, of: flushed.key, at: flushed.last)
    }

    private func follow<Value>(_ commit: InstallationCommit<Value>) {
        self.stores.follow(commit)
        if let failure = commit.failure ?? commit.lostEvent { self.report(failure) }
    }

    // MARK: - Rows that are due

    /// Ends sessions that are over, and takes over the work of a dead replica.
    ///
    /// - Returns: True if more rows may be due.
    private func look() async -> Bool {
        let (portion, claim) = (Self.portion, Self.claim)
        do throws(SharedStoreError) {
            let due = try await self.fleet.ask { store throws(SharedStoreError) in
                try await store.claimDue(portion, for: claim)
            }
            guard !due.value.isEmpty else { return false }
            let replicas = try await self.fleet.ask { store throws(SharedStoreError) in try await store.replicas() }
            // At once: a store may take the commits of many rows together.
            await withTaskGroup { group in
                for row in due.value { group.addTask { await self.lookOrReport(at: row, due, replicas.value) } }
            }
            return due.value.count == portion
        } catch {
            self.report(SignetError(error))
            return false
        }
    }

    private func lookOrReport(
        at row: SharedInstallation,
        _ due: FleetMember.Answer<[SharedInstallation]>,
        _ replicas: [SharedReplica]
    ) async {
        do throws(SignetError) { try await self.look(at: row, due, replicas) } catch { self.report(error) }
    }

    private func look(
        at row: SharedInstallation,
        _ due: FleetMember.Answer<[SharedInstallation]>,
        _ replicas: [SharedReplica]
    ) async throws(SignetError) {
        let store = self.stores.store(of: row.id)
        let reading = FleetMember.Answer<SharedInstallation?>(
            value: row,
            milliseconds: due.milliseconds,
            sent: due.sent,
            received: due.received
        )
        if try !store.take(reading) { try await store.refresh() }
        guard store.hasRow else { return self.stores.letGo(of: store) }
        let rules = self.fleet.sessionRules(timeout: self.context.sessionTimeout)
        let now = due.milliseconds
        let told = rules.told(at: now, replicas)
        switch rules.decision(for: row, at: now, told: told) {
        case .end:
            self.follow(
                try await store.commit(fencedBy: nil, decides: true, confirms: false) { machine, transaction in
                    machine.endIfOver(told: told, &transaction)
                }
            )
        case .look(let moment):
            try await store.setLook(min(moment, store.outbox.takeover ?? moment))
        case .nothing:
            if store.outbox.isEmpty { try await store.setLook(nil) }
        }
        self.follow(try await store.logOutbox(before: now))
    }

    // MARK: - Erasures

    /// Erases the users whom other replicas have erased, on this one's disk.
    private func eraseAsOthers() async {
        do throws(SignetError) {
            // Page by page, as long as one is full: each erasure is acknowledged, so it leaves the next page.
            while true {
                let pending = try await self.fleet.pendingErasures()
                for erasure in pending { try await self.erasure.eraseHere(erasure, in: self.fleet) }
                guard pending.count == SharedStoreLimits.batch else { return }
            }
        } catch {
            // Batches wait: what others erase meanwhile is not known.
            self.fleet.hearsOfErasures.withLock { $0 = false }
            self.report(error)
        }
    }

    /// Forgets, a few times a day, erasures and replicas that are too old to matter.
    private func forgetEnded() async {
        let now = self.context.time.uptime
        guard now >= self.nextForgetting else { return }
        self.nextForgetting = now + Self.forgetting
        do throws(SignetError) {
            try await self.fleet.forgetEnded(keepingFor: self.context.configuration.uploadLimits.maximumAge)
        } catch {
            self.report(error)
        }
    }

    private func forgetIdle() {
        let now = self.context.time.uptime
        guard now >= self.nextIdling else { return }
        self.nextIdling = now + Self.idling
        self.context.numbers.wakeIfAny()
    }

    // MARK: - After batches

    private func forgetCarried() async {
        for (id, removals) in self.users.takeCarried() {
            let store = self.stores.store(of: id)
            do throws(SignetError) {
                self.follow(
                    try await store.commit(fencedBy: nil, decides: false, confirms: false) { machine, transaction in
                        for (mpid, number) in removals {
                            _ = machine.removalsCarried(of: mpid, upTo: number, &transaction)
                        }
                    }
                )
            } catch {
                // The next batch repeats them.
                self.report(error)
            }
        }
    }
}
