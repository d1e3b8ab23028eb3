// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

/// Tells the shared store what the installations of this replica did.
actor FleetActivity {
    /// The number of flushes in which the rest is told: each tells one session of an installation, or repeats what a row refused.
    private static let lastRounds = 16

    private let fleet: FleetMember
    private let context: RuntimeContext
    private let stores: SharedStores
    private let erasures: FleetErasures
    private let failures: FleetFailures
    private var flush = ActivityFlush()
    /// The stores of the activity that was not answered, and its sessions.
    private var told: [UUID: SharedInstallationStore] = [:]
    private var activities: [UUID: LocalActivity] = [:]
    /// The end of the work that is under way; nil if there is none.
    ///
    /// One flush at a time: an answer belongs to the one that is under way.
    private var turn: Promise<Void>?

    init(_ stores: SharedStores, _ erasures: FleetErasures, _ failures: FleetFailures) {
        (self.fleet, self.context, self.stores) = (stores.fleet, stores.context, stores)
        (self.erasures, self.failures) = (erasures, failures)
    }

    /// Tells the activity since the last time.
    func tell() async {
        guard await self.begin() else { return }
        _ = await self.tell(isLast: false)
        self.end()
    }

    /// Tells all that is left, and begins and ends the sessions that follow from it.
    ///
    /// If the store does not answer, the next call tells it.
    func tellRest() async {
        guard await self.begin() else { return }
        var (rounds, unanswered) = (0, 0)
        repeat {
            // A flush whose answer was lost goes first, alone; so does the first of two sessions of one installation. The outbox of a
            // session that one round ends is cleared by the next: else another replica would log that end once more, with the same id.
            if await !self.tell(isLast: true) { unanswered += 1 }
            rounds += 1
        } while self.hasRest && rounds < Self.lastRounds && unanswered < 2 && !Task.isCancelled
        self.end()
    }

    private var hasRest: Bool {
        self.flush.count > 0 || self.stores.unflushed.count > 0
    }

    /// Waits for its turn.
    ///
    /// - Returns: False if the task was cancelled first.
    private func begin() async -> Bool {
        while let turn = self.turn {
            guard await turn.value() != nil else { return false }
        }
        self.turn = Promise()
        return true
    }

    private func end() {
        self.turn.take()?.resolve(())
    }

    /// Flushes the activity since the last time.
    ///
    /// - Parameter isLast: True at the end of this process.
    /// - Returns: False if the store did not answer.
    private func tell(isLast: Bool) async -> Bool {
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
        var isAnswered = false
        do throws(SharedStoreError) {
            let answer = try await self.fleet.ask { store throws(SharedStoreError) in
                try await store.flush(
                    round.activities,
                    of: replica,
                    token: round.token,
                    age: time.uptime - round.cut
                )
            }
            self.failures.answered()
            self.erasures.flushed(answer.pendingErasures, sent: answer.sent)
            isAnswered = await self.take(self.flush.take(answer.value), sent: now, isLast: isLast)
        } catch {
            self.erasures.unanswered()
            if error.code == .unreachable || error.code == .busy { self.flush.notSent() }
            self.report(SignetError(error))
        }
        await self.renew(stores)
        return await self.clearOutboxes(of: stores) && isAnswered
    }

    /// Removes from the rows what the journal has.
    ///
    /// - Returns: False if the store did not answer; then the next flush does it.
    private func clearOutboxes(of stores: [SharedInstallationStore]) async -> Bool {
        var isAnswered = true
        for (index, store) in stores.enumerated() {
            do throws(SignetError) {
                self.follow(try await store.logOutbox(before: .min))
            } catch {
                self.report(error)
                if error.code != .closed { isAnswered = false }
                guard error.code == .storeUnreachable || error.code == .outcomeUnknown else { continue }
                // It is away for the others too: a try of each would take its whole limit.
                for other in stores[(index + 1)...] { other.enter() }
                break
            }
        }
        return isAnswered
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

    /// - Returns: False if the store did not answer.
    private func take(_ findings: ActivityFlush.Findings, sent: Duration, isLast: Bool) async -> Bool {
        var isAnswered = true
        for activity in findings.ended + findings.missing {
            if await !self.succeed(activity, isLast: isLast) { isAnswered = false }
        }
        for (key, tag) in findings.tags { self.told[key]?.confirm(tag, at: sent) }
        let old = findings.tags.compactMap { key, tag in self.told[key].flatMap { $0.tag == tag ? nil : $0 } }
        for store in old {
            do throws(SignetError) { try await store.refresh() } catch { self.report(error) }
        }
        if self.flush.count == 0 { (self.told, self.activities) = ([:], [:]) }
        return isAnswered
    }

    /// Begins the session of events that were logged after one was over, or as the first ones.
    ///
    /// - Parameters:
    ///   - flushed: The events.
    ///   - isLast: True at the end of this process: no later flush begins the session.
    /// - Returns: False if the store did not answer; then the next flush tells them again.
    private func succeed(_ flushed: SharedActivity, isLast: Bool) async -> Bool {
        guard let store = self.told[flushed.key] else { return true }
        let started = self.activities[flushed.session]?.started ?? flushed.last
        let (session, events) = (flushed.session, flushed.events)
        let activity = LocalActivity(session: session, started: started, last: flushed.last, events: events)
        var isSent = false
        do throws(SignetError) {
            switch try await self.begin(activity, store, isLast: isLast, &isSent) {
            case .begun: break
            case .late: self.countLate(activity, store)
            case .waits: self.giveBack(activity, to: store)
            case .gone: self.stores.letGo(of: store)
            }
        } catch {
            guard !store.isGone else {
                self.stores.letGo(of: store)
                return true
            }
            self.report(error)
            let isCutOff = error.code == .cancelled && !isSent
            guard isCutOff || error.code == .storeUnreachable || error.code == .storeBusy else {
                self.countLate(activity, store)
                return true
            }
            // Nothing was changed. A shutdown that cuts this off tells it once more.
            self.giveBack(activity, to: store)
            return false
        }
        return true
    }

    private enum Outcome {
        case begun
        /// The session is over.
        case late
        /// Another process has begun it meanwhile, or may have events of the session before that it has not told.
        case waits
        /// The row is removed: what waits is dropped when its batch is cut.
        case gone
    }

    private func begin(
        _ activity: LocalActivity,
        _ store: SharedInstallationStore,
        isLast: Bool,
        _ isSent: inout Bool
    ) async throws(SignetError) -> Outcome {
        try await store.refresh()
        guard !store.isGone else { return .gone }
        guard store.openSession != activity.session else { return .waits }
        let told = try await isLast ? Int64.max : store.told()
        guard isLast || !store.isAwaited(told) else { return .waits }
        isSent = true
        let commit = try await store.commit(fencedBy: nil, decides: true, confirms: false) { machine, transaction in
            machine.succeed(with: activity, store.key, told: told, &transaction)
        }
        self.follow(commit)
        if commit.value { return .begun }
        return store.openSession == activity.session ? .waits : .late
    }

    /// Counts the events that came after the end of their session; some of a flush may be in that end.
    private func countLate(_ activity: LocalActivity, _ store: SharedInstallationStore) {
        let late = activity.events - store.takeCounted(in: activity.session, upTo: activity.events)
        self.context.statistics.record { $0.eventsAfterSessionEnd += late }
    }

    /// Leaves the activity to the next flush, or to an end that is drafted before it.
    ///
    /// The visitor may have come back: the store of the object in memory is the one that ends the session.
    private func giveBack(_ activity: LocalActivity, to store: SharedInstallationStore) {
        guard !self.flush.isWaiting(store.key) else {
            // A later session of the installation waits here: this one goes first.
            let (session, last) = (activity.session, activity.last)
            return self.flush.putFirst([
                SharedActivity(key: store.key, session: session, last: last, events: activity.events)
            ])
        }
        self.stores.current(store).giveBack(activity)
    }

    private func follow<Value>(_ commit: InstallationCommit<Value>) {
        self.stores.follow(commit)
        if let failure = commit.failure ?? commit.lostEvent { self.report(failure) }
    }

    private func report(_ error: SignetError) {
        self.failures.report(error)
    }
}
