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
    /// The most time that the end takes to tell rows what batches have carried.
    private static let farewell = Duration.seconds(2)
    /// The time after which the queue is woken to forget installations that have left memory.
    private static let idling = Duration.seconds(30)

    private let fleet: FleetMember
    private let context: RuntimeContext
    private let stores: SharedStores
    private let users: SharedUsers
    private let activity: FleetActivity
    private let erasures: FleetErasures
    private let failures: FleetFailures
    /// The uptime at which old erasures are forgotten.
    private var nextForgetting = Duration.zero
    /// The uptime at which the queue forgets the installations that have left memory, if it has nothing else to do until then.
    private var nextIdling = Duration.zero
    private var looks = FleetLooks()
    /// The end of the look that is under way.
    private var lookEnd = Promise<Void>()

    init(_ stores: SharedStores, _ users: SharedUsers, _ erasure: UserErasure) {
        (self.fleet, self.context, self.stores) = (stores.fleet, stores.context, stores)
        self.users = users
        self.failures = FleetFailures(stores.context.observer, time: stores.context.time)
        self.erasures = FleetErasures(stores, erasure, self.failures)
        self.activity = FleetActivity(stores, self.erasures, self.failures)
    }

    /// Works until the task is cancelled.
    func run() async {
        await withTaskGroup { group in
            // Beside the rest: an erasure waits for another one, and for answers of the platform.
            group.addTask { await self.erasures.run() }
            if let retention = FleetRetention(self.fleet, self.context) {
                group.addTask { await retention.run { self.failures.report($0) } }
            }
            await self.work()
        }
    }

    private func work() async {
        var isBehind = false
        while !Task.isCancelled {
            if !isBehind, await !self.pause() { return }
            // Each time: the others must not take this replica for dead while it works.
            await self.activity.tell()
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

    /// Begins no further look, awaits the one that is under way, and tells the store the rest.
    ///
    /// A graceful shutdown calls it before it delivers the last events: looks and flushes end sessions. The event of a commit that is cut
    /// off would wait in the row until another replica takes it over.
    func settle() async {
        if self.looks.stop() { _ = await self.lookEnd.value() }
        await self.activity.tellRest()
    }

    /// Waits for the next time.
    ///
    /// - Returns: False if the task was cancelled.
    private func pause() async -> Bool {
        do { try await self.context.time.sleep(for: self.stores.pauseLength) } catch { return false }
        return !Task.isCancelled
    }

    /// Tells the store the rest, also what the last answers have made known, and leaves the replicas.
    func end() async {
        await self.activity.tellRest()
        // Of what is cut off, the rows say that it is due.
        _ = await withTimeLimit(Self.farewell, on: self.context.time) { () -> Void? in await self.forgetCarried() }
        await self.fleet.leave()
    }

    private func report(_ error: SignetError, row: UUID? = nil) {
        self.failures.report(error, row: row)
    }

    private func follow<Value>(_ commit: InstallationCommit<Value>, row: UUID) {
        self.stores.follow(commit)
        if let failure = commit.failure ?? commit.lostEvent { self.report(failure, row: row) }
    }

    private func reviewFormat() async {
        do throws(SharedStoreError) { try await self.fleet.reviewFormat() } catch { self.report(SignetError(error)) }
    }

    // MARK: - Rows that are due

    /// Ends sessions that are over, and takes over the work of a dead replica.
    ///
    /// - Returns: True if more rows may be due.
    private func look() async -> Bool {
        let (portion, claim) = (Self.portion, Self.claim)
        do throws(SharedStoreError) {
            let due = try await self.fleet.ask(.commits, evidence: { $0.isEmpty ? .reached : .works }) {
                store throws(SharedStoreError) in
                try await store.claimDue(portion, for: claim)
            }
            guard !due.value.isEmpty else { return false }
            let replicas = try await self.fleet.look { store throws(SharedStoreError) in try await store.replicas() }
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
        do throws(SignetError) {
            try await self.look(at: row, due, replicas)
        } catch {
            self.report(error, row: row.key)
        }
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
        let facts = try self.sendFacts(of: store).map { now.addingSaturated($0.milliseconds) }
        let told = rules.told(at: now, replicas, of: row.key)
        switch rules.decision(for: row, at: now, told: told) {
        case .end:
            self.follow(
                try await store.commit(fencedBy: nil, decides: true, confirms: false) { machine, transaction in
                    machine.endIfOver(told: told, &transaction)
                },
                row: row.key
            )
        case .look(let moment):
            try await store.setLook(min(moment, store.outbox.takeover ?? moment, facts ?? moment))
        case .nothing:
            if store.outbox.isEmpty { try await store.setLook(facts) }
        }
        self.follow(try await store.logOutbox(before: now), row: row.key)
    }

    /// Hands facts that the platform lacks to those who send them; an answer clears them in the row.
    ///
    /// The queue of events sends consents, and the runner of due work sends a push token.
    ///
    /// - Returns: The time after which a replica must look again; nil if nothing is unsent.
    private func sendFacts(of store: SharedInstallationStore) throws(SignetError) -> Duration? {
        let (owesConsents, owesToken) = store.read { machine in
            (!machine.state.unsentConsents.isEmpty, machine.state.owesPushToken)
        }
        guard owesConsents || owesToken else { return nil }
        let lease = try store.durableLease()
        if owesConsents { self.context.ingress.consentsUnsent(lease.number, isLate: true) }
        if owesToken { self.context.dueWork.owesFacts(lease) }
        return self.context.ingress.interval
    }

    // MARK: - Forgetting

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
        for (id, carried) in self.users.takeCarried() {
            // The end of the runtime: the disk and the rows have it.
            guard !Task.isCancelled else { return }
            let store = self.stores.store(of: id)
            do throws(SignetError) {
                try await self.tell(carried, store)
            } catch {
                // The next batch repeats them.
                self.report(error, row: store.key)
            }
        }
    }

    private func tell(_ carried: SharedUsers.Carried, _ store: SharedInstallationStore) async throws(SignetError) {
        // The record first: after a kill in between, the row finds that the consent it owes was brought. After a kill
        // before, the next batch of the user carries the latest consent once more.
        for (mpid, accepted) in carried.accepted {
            for version in accepted.compactMap(\.version) { try await store.accepted(version, of: mpid) }
        }
        guard carried.concernsRow else { return }
        let commit = try await store.commitUnlessGone { machine, transaction in
            // An object that leaves memory takes nothing: the next batch repeats them.
            for (mpid, accepted) in carried.accepted {
                for facts in accepted { _ = machine.accepted(facts, of: mpid, &transaction) }
            }
            for (mpid, number) in carried.notBrought {
                _ = machine.leaveConsentToEvents(of: mpid, upTo: number, &transaction)
            }
        }
        // Gone: nobody has the attributes any more.
        guard let commit else { return }
        self.follow(commit, row: store.key)
    }
}
